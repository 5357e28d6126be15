/** A bound on files open at once. When all are taken, a call is refused and does not wait, since others may wait for it. */
import { StorageError } from '@varve/core'

export interface HandleSlots {
  /** Returns what gives the slot back; calling it twice does no harm. @throws StorageError `TooManyOpenFiles` */
  take(): () => void
}

/** `reclaim` gives back what is kept only in case it is wanted again; false when there is nothing. */
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
