/**
 * Reads arguments now, for what is done with them later: what the caller changes meanwhile has no effect. What is wrong with them is thrown
 * where they are used, so that what can be iterated rejects as promises do.
 */
export function atCall<T>(read: () => T): () => T {
  try {
    const value = read()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}
