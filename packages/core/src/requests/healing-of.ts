/** Healing of what one read finds damaged. */
import { isStorageError } from '../base/errors.ts'
import type { BlobReaderOptions } from '../content/blob-reader.ts'
import type { DamagedBytes } from '../content/damaged-bytes.ts'
import { isDataKeyMissing } from '../encryption/data-key-row.ts'
import type { BlobContent, BlobRef } from '../events/index.ts'
import type { LogService } from './log-service.ts'

interface ReadHealing {
  readonly heal: BlobReaderOptions['heal']
  /** Reads the data key of a blob; once more if its row was healed. */
  unseal<T>(content: Pick<Required<BlobContent>, 'blob' | 'sealed'>, read: () => Promise<T>): Promise<T>
}

/** `of`: what the read knows of the bytes. */
export function healingOf(log: LogService, of: Pick<DamagedBytes, 'seq' | 'mayBeErased'>): ReadHealing {
  const heal = log.heal?.bind(log)
  if (heal === undefined) return { heal: undefined, unseal: (_content, read) => read() }
  return {
    heal: (what, blob: BlobRef) => heal({ what, blob, ...of }),
    async unseal({ blob, sealed }, read) {
      try {
        return await read()
      } catch (error) {
        const isDamaged = isDataKeyMissing(error) || isStorageError(error, 'RowCorrupt')
        if (!isDamaged || !(await heal({ what: 'key', blob, sealed, ...of }))) throw error
        return read()
      }
    },
  }
}
