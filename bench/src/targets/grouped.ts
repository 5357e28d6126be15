/** A minimal group commit: items that arrive while one group is written form the next. */
export function grouped<T>(write: (group: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  let waiting: T[] = []
  let next: Promise<void> | undefined
  let last: Promise<void> = Promise.resolve()
  return (item) => {
    waiting.push(item)
    if (next === undefined) {
      next = last = last.then(() => {
        const group = waiting
        waiting = []
        next = undefined
        return write(group)
      })
    }
    return next
  }
}
