/** Reads what an upgrade wrote: every event and its link, the number of events, every row and all inline bytes. */
import { StorageError } from '../base/errors.ts'
import { sameBytes } from '../bytes/bytes.ts'
import { isSealed } from '../bytes/frame.ts'
import type { Seq, Tip } from '../ports/index.ts'
import { examine } from '../verify/examine.ts'
import { inlineTable } from '../views/tables.ts'
import type { UpgradeOptions } from './upgrade-options.ts'

const rowsPerPage = 256
const noBlobs = { open: () => Promise.reject(new Error('No blob is read.')), list: noIds }

/** Returns the end of the new log. @throws StorageError `LogCorrupt` (`details.kind` is `migration`) */
export async function checkUpgrade(options: UpgradeOptions, events: Seq): Promise<Tip | undefined> {
  const { into, hashing, signal, onProgress } = options
  const { report } = await examine(
    { journal: into, hashing, blobs: noBlobs },
    {
      views: 'check',
      blobs: 'skip',
      ...(signal && { signal }),
      ...(onProgress && { onProgress: ({ done, total }) => onProgress({ done, total, stage: 'check' }) }),
    },
  )
  const [first] = report.divergences
  if (first !== undefined) throw disagrees(first.message)
  if (report.events !== events) throw disagrees(`It has ${report.events} events instead of ${events}.`)
  await checkInlineBytes(options)
  return report.tip
}

/** Bytes that were damaged in the old journal are damaged in the new one: a read reports them. */
async function checkInlineBytes({ from, into, hashing, signal }: UpgradeOptions): Promise<void> {
  const cursor = into.cursor(inlineTable.range)
  try {
    for (let page = await cursor.next(rowsPerPage); page.length > 0; page = await cursor.next(rowsPerPage)) {
      signal?.throwIfAborted()
      for (const [key, frame] of page) {
        if (isSealed(hashing, key, frame)) continue
        const old = await from.get(key)
        if (old === undefined || !sameBytes(old, frame)) throw disagrees('Inline bytes differ.')
      }
    }
  } finally {
    await cursor.close()
  }
}

function disagrees(found: string): StorageError {
  const message = `What the upgrade wrote does not agree with the log, and the store stays as it was: ${found}`
  return new StorageError('LogCorrupt', message, { details: { kind: 'migration' } })
}

async function* noIds(): AsyncGenerator<never> {
  // There are none.
}
