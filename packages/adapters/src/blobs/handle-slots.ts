/** Limits how many files are open. Without a free slot a call fails at once: waiting calls could block each other. */
import { StorageError } from '@varve/core'

export interface HandleSlots {
  /** Returns a function that gives the slot back, once. @throws StorageError `TooManyOpenFiles` */
  take(): () => void
}

/** `reclaim` closes one file that is only kept for reuse, and so frees its slot; false when there is none. */
export function handleSlots(max: number, reclaim: () => boolean = () => false): HandleSlots {
  let taken = 0
  return {
    take() {
      if (taken >= max && !reclaim()) {
        const message = `All ${max} files that may be open at once are in use.`
        throw new StorageError('TooManyOpenFiles', message, { details: { errno: 'EMFILE', max } })
      }
      taken++
      let given = false
      return () => {
        if (!given) taken--
        given = true
      }
    },
  }
}
