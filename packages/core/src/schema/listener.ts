/** Functions that are notified of what happens, such as `onProgress`. */
import { callable } from './scalars.ts'
import type { Schema } from './schema.ts'

type Listener = (...given: never[]) => unknown

/**
 * A function that is notified of something, and that nobody waits for. If it throws, so does the call of it. A promise that it gives and that
 * rejects is the same, as soon as there is a next call: it is never an unhandled rejection, which would end the process.
 */
export function listener<F extends Listener>(): Schema<F> {
  const schema = callable<F>()
  return { ...schema, read: (value, bounds) => guarded(schema.read(value, bounds)) }
}

function guarded<F extends Listener>(notified: F): F {
  let failure: { readonly error: unknown } | undefined
  const guard = (...given: never[]): unknown => {
    if (failure !== undefined) throw failure.error
    const result = notified(...given)
    if (typeof result === 'object' && result !== null) {
      // The promise may come from a library.
      Promise.resolve(result).catch((error: unknown) => (failure ??= { error }))
    }
    return result
  }
  return guard as F
}
