import type { Observer } from '../ports/index.ts'
import { Mismatch, type Schema } from '../schema/schema.ts'

const methods: Readonly<Record<keyof Observer, true>> = {
  commit: true,
  sync: true,
  request: true,
  job: true,
  cache: true,
  queue: true,
  healing: true,
  connections: true,
}

/** An object whose methods of these names are functions or absent; not copied, because it may have state. */
export const observer: Schema<Observer> = {
  read(value) {
    if (typeof value !== 'object' || value === null) throw Mismatch.wrongType('an observer', value)
    for (const name of Object.keys(methods)) {
      const method: unknown = Reflect.get(value, name)
      if (method !== undefined && typeof method !== 'function')
        throw Mismatch.within(name, Mismatch.wrongType('a function', method))
    }
    return value
  },
  accepts: () => false,
}
