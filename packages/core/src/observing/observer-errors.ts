/** Counts the errors of observers, over all stores and servers of the process that an observer was given to. */
import type { Observer } from '../ports/index.ts'
import { checked } from '../schema/schema.ts'
import { observer } from './observer-schema.ts'

type Counts = { [M in keyof Observer]?: number }

const counts = new WeakMap<Observer, Counts>()

/** Returns how many errors the method has now. */
export function countObserverError(of: Observer, method: keyof Observer): number {
  const errors = counts.get(of) ?? {}
  counts.set(of, errors)
  return (errors[method] = (errors[method] ?? 0) + 1)
}

/**
 * How many errors the methods of an observer had, by method. A method without errors is absent.
 * @throws StorageError `InvalidArgument` for a value that is no observer
 */
export const observerErrors = (of: Observer): Readonly<Partial<Record<keyof Observer, number>>> => ({
  ...counts.get(checked('observer', observer, of)),
})
