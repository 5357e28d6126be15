/** Loads some values ahead, and returns them in their order. */
export async function* inOrder<T, R>(
  values: AsyncIterable<T>,
  atOnce: number,
  load: (value: T) => Promise<R>,
): AsyncGenerator<R> {
  const loading: Promise<R>[] = []
  try {
    for await (const value of values) {
      const next = load(value)
      // Its error is thrown when its turn comes.
      next.catch(() => undefined)
      loading.push(next)
      if (loading.length >= atOnce) yield await (loading.shift() as Promise<R>)
    }
    for (let next = loading.shift(); next !== undefined; next = loading.shift()) yield await next
  } finally {
    await Promise.allSettled(loading)
  }
}
