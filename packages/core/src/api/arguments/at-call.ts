/**
 * Reads and copies arguments at the call, so that later changes by the caller have no effect. An error in them is
 * thrown when they are used: an iterable then rejects as a promise would.
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
