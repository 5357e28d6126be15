/**
 * The terms of a replica. A writer claims the next term with a file that only one can create, and so deposes the writer of the term
 * before: that one looks for a later claim after each file that it wrote, and before it counts the file as written. What it wrote before
 * the claim is found by the claimant, and what it wrote after it is not valid.
 */
import { isStorageError, StorageError } from '../base/errors.ts'
import type { ReplicaFiles, Seq } from '../ports/index.ts'
import { boolean, integer, text } from '../schema/scalars.ts'
import type { Schema } from '../schema/schema.ts'
import { array, object, optional, pair } from '../schema/structures.ts'
import type { LineStart } from './replica-line.ts'
import { createDocument, readDocument, replicaFormat } from './replica-files-json.ts'
import { parseTerm, startName, startPrefix, termName, termPrefix } from './replica-names.ts'

/** A process that writes replicas of a store. */
export interface ReplicaWriter {
  /** Unique to a store directory or to a shared journal: a later process of the same store has the same one. */
  readonly id: string
  /** For people, and without secrets. */
  readonly name: string
}

/** Who writes in a term. */
export interface Claim {
  readonly format: number
  readonly term: number
  readonly writer: string
  readonly name: string
  /** Unique to the claim. */
  readonly claim: string
  /** Milliseconds since the Unix epoch, by the clock of the writer. */
  readonly at: number
  /** The writer followed the one before, and was promoted in its place: that one takes no more writes. */
  readonly promoted?: boolean
}

/** From which position on the files of a term count. */
export interface TermStart {
  readonly format: number
  readonly term: number
  readonly from: Seq
  /** The hash of the event before; empty if there is none. */
  readonly prev: string
  /**
   * Earlier terms, and from which position on their files count up to the next one, as the writer of this term has found them. A start that
   * is not among them came too late: its writer had been deposed before it began.
   */
  readonly before: readonly (readonly [term: number, from: Seq])[]
}

const positive = integer({ min: 1 })
const name = text({ max: 1024 })

const claimSchema: Schema<Claim> = object<Claim>({
  format: positive,
  term: positive,
  writer: name,
  name,
  claim: name,
  at: integer(),
  promoted: optional(boolean),
})

const startSchema: Schema<TermStart> = object<TermStart>({
  format: positive,
  term: positive,
  from: positive,
  prev: text({ max: 64 }),
  before: array(pair(positive)),
})

const readClaim = (files: ReplicaFiles, term: number): Promise<Claim | undefined> =>
  readDocument(files, termName(term), claimSchema)

/** The claims of a replica. */
export interface Claims {
  /** The last term that was claimed; 0 if none was. */
  readonly last: number
  /** The newest claim that can be read. One that was cut off says nothing, but its term is taken. */
  readonly newest: Claim | undefined
}

/** Files that are not listed yet are found too, unless several are missing. */
export async function readClaims(files: ReplicaFiles): Promise<Claims> {
  let last = 0
  for await (const file of files.list(termPrefix)) last = Math.max(last, parseTerm(file.name) ?? 0)
  while ((await files.read(termName(last + 1))) !== undefined) last++
  for (let term = last; term > 0; term--) {
    const newest = await readClaim(files, term).catch(undefinedIfDamaged)
    if (newest !== undefined) return { last, newest }
  }
  return { last, newest: undefined }
}

/** The newest claim that can be read. */
export const newestClaim = async (files: ReplicaFiles): Promise<Claim | undefined> => (await readClaims(files)).newest

function undefinedIfDamaged(error: unknown): undefined {
  if (!isStorageError(error, 'ReplicaCorrupt')) throw error
}

/** Which terms count from which position on. */
export interface TermStarts {
  /** In the order of the terms. */
  readonly starts: readonly LineStart[]
  /** The hash of the event before the last of them. */
  readonly prev: string
  /** Later terms whose starts are damaged. */
  readonly damaged: ReadonlySet<number>
}

export async function readStarts(files: ReplicaFiles): Promise<TermStarts> {
  const terms: number[] = []
  for await (const { name: listed } of files.list(startPrefix)) terms.push(parseTerm(listed) ?? 0)
  const damaged = new Set<number>()
  for (const term of terms.sort((a, b) => b - a)) {
    const start = await readDocument(files, startName(term), startSchema).catch(undefinedIfDamaged)
    if (start !== undefined) return { starts: startsOf(start), prev: start.prev, damaged }
    damaged.add(term)
  }
  return { starts: [], prev: '', damaged }
}

const startsOf = ({ before, term, from }: TermStart): readonly LineStart[] => [
  ...before.map(([earlier, at]) => ({ term: earlier, from: at })),
  { term, from },
]

export interface ClaimOptions {
  readonly writer: ReplicaWriter
  /** Makes each claim unique. */
  readonly claim: string
  readonly at: number
  /** Deposes another writer. @default false */
  readonly takeOver?: boolean
  /** The writer that this one has followed: it is deposed, and no other one is. */
  readonly promotedFrom?: string | undefined
}

/**
 * Claims the next term.
 * @throws StorageError `ReplicaHeld` if another writer has the replica; `NotImplemented` if the target replaces files that it must not
 */
export async function claimTerm(files: ReplicaFiles, options: ClaimOptions): Promise<Claim> {
  const { writer, claim, at, takeOver = false, promotedFrom } = options
  for (;;) {
    const { last, newest } = await readClaims(files)
    const mayDepose = takeOver || newest?.writer === promotedFrom
    if (newest !== undefined && newest.writer !== writer.id && !mayDepose) throw heldBy(newest, 'claimed')
    const term = last + 1
    const promoted = promotedFrom !== undefined && { promoted: true }
    const own: Claim = { format: replicaFormat, term, writer: writer.id, name: writer.name, claim, at, ...promoted }
    if (!(await createDocument(files, termName(term), own))) continue
    await assertConditional(files, own)
    return own
  }
}

/** A server that ignores the condition would let two writers each believe that they have the term. */
async function assertConditional(files: ReplicaFiles, claim: Claim): Promise<void> {
  const other = { ...claim, claim: `not ${claim.claim}` }
  if (!(await createDocument(files, termName(claim.term), other))) return
  throw new StorageError(
    'NotImplemented',
    'The target replaces files that must not be replaced: it does not know conditional writes.',
    { details: { kind: 'conditions' } },
  )
}

/** Whether the term was claimed, and whoever wrote before it has ended. */
export const isClaimed = async (files: ReplicaFiles, term: number): Promise<boolean> =>
  (await files.read(termName(term))) !== undefined

/** @throws StorageError `ReplicaHeld` if a later term was claimed, and so this one has ended */
export async function assertTermGoesOn(files: ReplicaFiles, claim: Claim): Promise<void> {
  const next = await readClaim(files, claim.term + 1)
  if (next !== undefined) throw heldBy(next, 'deposed')
}

/**
 * States from which position on the files of the term count. `before`: the starts that were found after the claim.
 * @throws StorageError `ReplicaHeld` if a later term was claimed meanwhile
 */
export async function startTerm(
  files: ReplicaFiles,
  claim: Claim,
  { from, prev, before }: Pick<TermStart, 'from' | 'prev'> & { readonly before: readonly LineStart[] },
): Promise<void> {
  // Of terms that were left at this position or before it, no file counts.
  const counting = before.filter((start) => start.from < from).map((start) => [start.term, start.from] as const)
  const start: TermStart = { format: replicaFormat, term: claim.term, from, prev, before: counting }
  if (!(await createDocument(files, startName(claim.term), start))) throw heldBy(claim, 'deposed')
  await assertTermGoesOn(files, claim)
}

function heldBy({ name: holder, at, term, promoted }: Claim, kind: 'claimed' | 'deposed'): StorageError {
  const since = `since ${new Date(at).toISOString()}`
  const details = { kind, holder, since: new Date(at).toISOString(), term, ...(promoted && { promoted }) }
  return new StorageError('ReplicaHeld', heldText(kind, `${holder}${promoted ? ' (promoted)' : ''}`, since), {
    details,
  })
}

const heldText = (kind: 'claimed' | 'deposed', holder: string, since: string): string =>
  kind === 'claimed'
    ? `The replica is written by ${holder}, ${since}.`
    : `The replica is written by ${holder} now, ${since}: this store does not write it any more.`
