/** Settles as `work` does, or rejects with `late()` after so many milliseconds. */
export async function withinTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const ending = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(ms, 0))
  })
  try {
    return await Promise.race([work, ending])
  } finally {
    clearTimeout(timer)
  }
}
