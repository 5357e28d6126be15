/** Two ends of a stream, with a gate in each direction that can hold back what was written. */
import { type Duplex, duplexPair } from 'node:stream'

export interface Gate {
  /** How many chunks are held back. */
  readonly held: number
  hold(): void
  /** Lets everything through, in order. */
  release(): void
}

export interface GatedPair {
  readonly ends: readonly [owners: Duplex, workers: Duplex]
  readonly toWorker: Gate
  readonly toOwner: Gate
}

export function gatedPair(): GatedPair {
  const [owners, behindOwner] = duplexPair()
  const [workers, behindWorker] = duplexPair()
  return {
    ends: [owners, workers],
    toWorker: gate(behindOwner, behindWorker),
    toOwner: gate(behindWorker, behindOwner),
  }
}

function gate(from: Duplex, to: Duplex): Gate {
  const queue: Buffer[] = []
  let isHolding = false
  from.on('data', (chunk: Buffer) => {
    if (isHolding) queue.push(chunk)
    else to.write(chunk)
  })
  return {
    get held() {
      return queue.length
    },
    hold() {
      isHolding = true
    },
    release() {
      isHolding = false
      for (const chunk of queue.splice(0)) to.write(chunk)
    },
  }
}
