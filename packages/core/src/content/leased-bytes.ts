/**
 * Bytes on their way out to somebody who may never take them. What they hold of the store is let go as early as can be:
 * when the last of them was read (which may be before the first is taken), when they fail, or when they are ended.
 */

export interface LeasedBytes extends AsyncIterableIterator<Uint8Array, undefined> {
  /** True from the moment somebody asked for the first chunk, or ended them. */
  readonly begun: boolean
  /** Ends them; unlike with a generator, this also counts before the first chunk was asked for. Idempotent. */
  return(): Promise<IteratorReturnResult<undefined>>
}

export interface Lease {
  /** How many bytes there are. */
  readonly size: number
  /** Called once or more. */
  release(): void
  readonly signal: AbortSignal | undefined
}

const done = { done: true, value: undefined } as const

/** `first` was read ahead of the rest. */
export function leasedBytes(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
  { size, release, signal }: Lease,
): LeasedBytes {
  let ahead: IteratorResult<Uint8Array> | undefined = first
  let unread = size
  let begun = false
  let over = false
  const count = (result: IteratorResult<Uint8Array>) => {
    unread -= result.done === true ? unread : result.value.length
    if (unread === 0) release()
  }
  const end = async (): Promise<void> => {
    over = true
    ahead = undefined
    try {
      await rest.return?.()
    } finally {
      release()
    }
  }
  const ask = async (): Promise<IteratorResult<Uint8Array>> => {
    const result = ahead ?? (await rest.next())
    if (ahead === undefined) count(result)
    ahead = undefined
    return result
  }
  count(first)
  const self: LeasedBytes = {
    get begun() {
      return begun
    },
    [Symbol.asyncIterator]: () => self,
    async next() {
      begun = true
      if (over) return done
      try {
        signal?.throwIfAborted()
        const result = await ask()
        if (result.done !== true) return result
        over = true
        return done
      } catch (error) {
        await end()
        throw error
      }
    },
    async return() {
      begun = true
      if (!over) await end()
      return done
    },
  }
  return self
}
