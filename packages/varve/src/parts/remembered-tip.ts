/**
 * What a process knew of the log before it opened the store again. The witness beside the blobs may be a second behind, or
 * more if it could not be written, and a log that lost less than that must not be taken for whole.
 */
import type { Tip, Witness } from '@varve/core'

export interface RememberedTip {
  tip: Tip | undefined
}

/** Reads the later one of both, and makes it durable, so that the next process knows it too. */
export const remembering = (witness: Witness, known: RememberedTip): Witness => ({
  async read() {
    const [stored, { tip }] = [await witness.read(), known]
    if (tip === undefined || (stored !== undefined && stored.seq > tip.seq)) return stored
    // The store is refused by this process even if the witness cannot be written.
    if (stored === undefined || stored.seq < tip.seq) await witness.write(tip).catch(() => undefined)
    return tip
  },
  write: (tip) => witness.write(tip),
  note({ seq, hash }) {
    known.tip = { seq, hash }
  },
})
