/** Values that are there at once in most cases: a promise for each row would take longer than the row. */
export type Soon<T> = T | Promise<T>

/** Calls `work` with the value, at once if it is there. */
export const whenThere = <T, U>(value: Soon<T>, work: (value: T) => Soon<U>): Soon<U> =>
  value instanceof Promise ? value.then(work) : work(value)

/** Does `work`, which may fail at once or later. */
export function soonOrFailed<T>(work: () => Soon<T>, failed: (error: unknown) => Soon<T>): Soon<T> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(failed) : value
  } catch (error) {
    return failed(error)
  }
}

/** Takes steps one after another, and waits only for those that take time. */
export function inTurn(steps: readonly (() => Soon<unknown>)[], first = 0): Soon<void> {
  for (let i = first; i < steps.length; i++) {
    const taking = steps[i]?.()
    if (taking instanceof Promise) return taking.then(() => inTurn(steps, i + 1))
  }
  return undefined
}

/** The result of a step that is to be repeated. */
export const again = Symbol('again')

/** Repeats a step until it has a result. */
export function repeat<T>(step: () => Soon<T | typeof again>): Soon<T> {
  for (;;) {
    const result = step()
    if (result instanceof Promise) return result.then((later) => (later === again ? repeat(step) : later))
    if (result !== again) return result
  }
}
