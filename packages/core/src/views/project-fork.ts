import { StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import type { SettingKind } from '../settings/setting.ts'
import { bucketRowAt } from './bucket-row-at.ts'
import { putForkPin, releaseForkPin } from './fork-pins.ts'
import { droppedTable } from './fork-tables.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { BucketRow } from './rows.ts'
import { bucketTable, settingTable } from './tables.ts'
import { countUsage, startUsage } from './usage.ts'

type ForkEvent = RecordedEvent<'BucketForked' | 'ForkCleared' | 'ForkReleased'>

/** These settings act on the world outside the bucket, or remove objects: a fork begins without them. */
const notCopied: ReadonlySet<SettingKind> = new Set<SettingKind>(['Lifecycle', 'Notifications', 'Logging'])

export async function projectFork(rows: RowTransaction, event: ForkEvent): Promise<void> {
  switch (event.type) {
    case 'BucketForked':
      return fork(rows, event)
    case 'ForkCleared':
      return rows.delete(droppedTable.key(event.data.bucket))
    case 'ForkReleased':
      return releaseForkPin(rows, event.data.fork)
  }
}

/** Writes few rows, whatever the base has. */
async function fork(rows: RowTransaction, { seq, at, data }: RecordedEvent<'BucketForked'>): Promise<void> {
  const { bucket, owner, from, position = seq, shown = 0 } = data
  const before = await bucketRowAt(rows, from, position)
  if (before === undefined) throw missingBase(seq, from)
  const { region, versioning, versionedSince, annotated, incarnation } = before
  const settings = await copySettings(rows, { from, to: bucket, settings: before.settings })
  const base = { bucket: from, position, incarnation, depth: (before.base?.depth ?? 0) + 1 }
  rows.put(bucketTable.key(bucket), {
    owner,
    region,
    createdAt: at,
    incarnation: seq,
    ...(versioning && { versioning }),
    ...(versionedSince !== undefined && { versionedSince }),
    ...(settings && { settings }),
    ...(annotated && { annotated }),
    // Versions of the base come later than others of their keys, and are older.
    restored: true,
    base,
    since: seq,
  })
  await startUsage(rows, seq, owner.id)
  if (shown > 0) await countUsage(rows, seq, { shown, inherited: shown })
  await putForkPin(rows, seq, base)
}

const missingBase = (seq: Seq, from: string): StorageError =>
  new StorageError('RowCorrupt', `The row of the bucket that the fork ${seq} begins as is missing.`, {
    details: { seq, BucketName: from },
  })

interface CopiedSettings {
  readonly from: string
  readonly to: string
  readonly settings: BucketRow['settings']
}

/** A setting keeps the position of the event that set it in the base. */
async function copySettings(
  rows: RowTransaction,
  { from, to, settings = {} }: CopiedSettings,
): Promise<BucketRow['settings']> {
  const copied: [string, number][] = []
  for (const [kind, setBy] of Object.entries(settings)) {
    const row = await rows.get(settingTable.key(from, setBy))
    if (row === undefined || notCopied.has(row.kind)) continue
    rows.put(settingTable.key(to, setBy), row)
    copied.push([kind, setBy])
  }
  return copied.length === 0 ? undefined : Object.fromEntries(copied)
}
