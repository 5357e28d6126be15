/**
 * Repairs a store in a directory. Data that the log determines is computed again; other damaged data goes to
 * quarantine. Repair requires a log that is whole; for a damaged log use `salvageStore`.
 */
import {
  type HeldDirectory,
  mendBlobs,
  mendDirectories,
  mendFormat,
  mendWitness,
  nodeHashing,
  type Quarantine,
  quarantine,
  dropSeal,
  replaceJournal,
  systemClock,
} from '@varve/adapters'
import {
  type Divergence,
  type DivergenceKind,
  type Journal,
  type MendedLog,
  StorageError,
  tipAt,
  transplant,
  type VerifyReport,
} from '@varve/core'
import { replicaAt, withKeys } from '../replicas/replica-address.ts'
import type { RepairStoreOptions } from './directory-arguments.ts'
import { healedBytes, mendedLog } from './heal-store.ts'
import { openReplicas } from '../replicas/open-replicas.ts'
import { type Inspection, inspecting } from './verify-store.ts'

/** What `repairStore` found and what it mended. */
export interface RepairReport {
  /** The findings before the repair. */
  readonly before: VerifyReport
  /** The repairs, one line each. */
  readonly actions: readonly string[]
  /** The findings after the repair. Lost bytes stay missing, and reads of them report it. */
  readonly after: VerifyReport
}

/** As `repairStore`, for checked arguments. @throws as `repairStore` does */
export async function repairDirectory(path: string, options: RepairStoreOptions): Promise<RepairReport> {
  const { from = [], ...given } = options
  const { keyring } = given
  const places = from.map((address) => withKeys(replicaAt(address), { keyring }))
  const opened = await openReplicas(places)
  try {
    const looking = { ...given, views: 'compare', repairCopy: true, finishRepair: true } as const
    const { before, actions } = await inspecting(path, looking, async (inspection) => {
      const mended = isLogBroken(inspection) ? await mendedLog(inspection, opened, given) : undefined
      if (mended === undefined) assertWhole(inspection, from.length > 0)
      assertEndKnown(inspection, given)
      return { before: inspection.report, actions: await repair(inspection, given, mended) }
    })
    const healed = places.length === 0 || given.blobs === 'skip' ? [] : await healedBytes(path, places, given)
    const { tip: _, ...again } = given
    const after = await inspecting(path, { ...again, views: 'compare' }, async ({ report }) => report)
    const unread = opened.failures.map(({ from: name, error }) => `Left the replica ${name} out: ${error.message}`)
    return { before, actions: [...unread, ...actions, ...healed], after }
  } finally {
    await opened.close()
  }
}

const isLogBroken = ({ report }: Inspection): boolean => has(report, ...logKinds)

const logKinds: readonly DivergenceKind[] = [
  'EventDamaged',
  'EventMissing',
  'EventChanged',
  'EventUnlinked',
  'EventUnknown',
  'TipDiffers',
  'LogShort',
]

function assertWhole({ directory, report }: Inspection, hadReplicas: boolean): void {
  const broken = report.divergences.find(({ kind }) => logKinds.includes(kind))
  if (directory.journal === undefined) throw beyondRepair('LevelDB cannot read the log')
  if (broken === undefined) return
  const addition = hadReplicas ? ' No replica has what is damaged.' : ''
  throw beyondRepair(`${broken.message}${addition}`, broken.seq)
}

function assertEndKnown({ directory, report }: Inspection, { tip }: RepairStoreOptions): void {
  // A log can lose its last events without a trace: LevelDB leaves out what it cannot read, and so does a rescue.
  if (tip === undefined && has(report, 'WitnessDamaged') && !directory.asClosed)
    throw beyondRepair('the witness is damaged and no seal covers its files, so nobody knows its end')
}

function beyondRepair(what: string, seq?: number): StorageError {
  const message = `The log is damaged: ${what.replace(/\.$/, '')}. Nothing was changed.`
  return new StorageError('LogCorrupt', message, {
    details: { kind: 'beyond-repair', ...(seq !== undefined && { seq }) },
    hint: 'Save the events that are whole with `varve verify --salvage`.',
  })
}

const has = ({ divergences }: VerifyReport, ...kinds: readonly DivergenceKind[]): boolean =>
  divergences.some(({ kind }) => kinds.includes(kind))

async function repair(
  inspection: Inspection,
  options: RepairStoreOptions,
  mended: MendedLog | undefined,
): Promise<readonly string[]> {
  const { report, directory } = inspection
  const held = directory.held as HeldDirectory
  const aside = quarantine(held, () => systemClock.now())
  const actions: string[] = []
  if (directory.finishedRepair) actions.push('Finished a repair that was cut off.')
  actions.push(...(await mendPlaces(held, inspection, mended)))
  if (mended !== undefined || has(report, ...journalKinds)) {
    for (const { from, to, source } of mended?.runs ?? [])
      actions.push(`Took ${eventsNamed(from, to)} from ${source.name}.`)
    const log = mended?.journal ?? (directory.journal as Journal)
    actions.push(...(await remakeJournal({ held, inspection, aside }, log, options)))
  } else if (has(report, 'SealDamaged')) await dropSeal(held).then(() => actions.push('Took the damaged seal away.'))
  // Rows beside a damaged log do not show which blobs have no name: the sweep finds them later.
  const found = report.divergences.filter(({ kind }) => mended === undefined || kind !== 'BlobOrphan')
  await mendBlobs(held, directory.layout, aside, found)
  if (has(report, 'SegmentDamaged'))
    actions.push('Took segments of blobs with damage in them aside, or made their index again.')
  return [...actions, ...(await keptAside(found, aside))]
}

/** Directories, FORMAT and the witness. */
async function mendPlaces(
  held: HeldDirectory,
  { report, directory }: Inspection,
  mended: MendedLog | undefined,
): Promise<readonly string[]> {
  const actions: string[] = []
  if (has(report, 'DirectoryMissing')) {
    await mendDirectories(held, directory.layout)
    actions.push('Made the directories for blobs that were missing.')
  }
  if (has(report, 'FormatMissing', 'FormatDamaged')) {
    actions.push(`Wrote FORMAT again; the store has a new id: ${await mendFormat(held, directory.layout)}.`)
  }
  const tip = mended === undefined ? report.tip : await tipAt({ ...mended, hashing: await nodeHashing() }, mended.head)
  if (has(report, 'WitnessDamaged') && tip !== undefined) {
    await mendWitness(held, tip)
    actions.push(`Wrote the witness again, at event ${tip.seq}; what it remembered before is lost.`)
  }
  return actions
}

async function keptAside(found: readonly Divergence[], aside: Quarantine): Promise<readonly string[]> {
  const actions: string[] = []
  for (const divergence of found) {
    const from = placeOf(divergence)
    const name = from && (await aside.take(from, divergence))
    if (name !== undefined) actions.push(`${from} went to quarantine/${name}: ${divergence.message}`)
  }
  return actions
}

const eventsNamed = (from: number, to: number): string => (from === to ? `event ${from}` : `events ${from} to ${to}`)

const journalKinds: readonly DivergenceKind[] = [
  'RowMissing',
  'RowUnexpected',
  'RowDiffers',
  'RowCorrupt',
  'InlineOrphan',
  'KeyspaceDamaged',
  'KeyspaceAhead',
  'DataKeyOrphan',
  'FileChanged',
  'JournalUnreadable',
]

interface Remaking {
  readonly held: HeldDirectory
  readonly inspection: Inspection
  readonly aside: Quarantine
}

async function remakeJournal(
  { held, inspection, aside }: Remaking,
  from: Journal,
  { signal }: RepairStoreOptions,
): Promise<readonly string[]> {
  const { directory } = inspection
  const head = await from.head()
  const hashing = await nodeHashing()
  let leftOut: readonly string[] = []
  await replaceJournal(held, directory.layout, aside, async (into) => {
    const moved = await transplant({ from, into, hashing, to: head, ...(signal && { signal }) })
    leftOut = moved.keyspacesLeftOut
  })
  return [
    `Made the log's database again from its ${head} events; the old one is in quarantine.`,
    ...leftOut.map((name) => `Left the damaged keyspace ${name} out; it begins again when it is next opened.`),
  ]
}

/** The file that a finding is about, if it can be moved to quarantine. */
function placeOf({ kind, key = '' }: Divergence): string | undefined {
  if (kind === 'BlobCorrupt' || kind === 'BlobUnreadable' || kind === 'BlobOrphan') {
    return /^[0-9a-f]{32}$/.test(key) ? `blobs/${key.slice(0, 2)}/${key}` : undefined
  }
  return kind === 'FileUnexpected' ? key : undefined
}
