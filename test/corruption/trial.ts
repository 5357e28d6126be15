/** One mutation, and all answers afterwards, compared with the truth. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isLeftover, isStorageError, type VerifyReport } from '@varve/core'
import { verifyStore } from 'varve'
import { type Requested, askIn, type Truth, truthOf } from './asking.ts'
import { rememberTables } from './checked-memory.ts'
import { fileKinds, mutateEntries, mutateFile, type Place } from './file-mutations.ts'
import type { Material } from './material.ts'
import { randomFrom } from '../support/random.ts'
import { type RepairVerdict, tryRepair } from './repair-trial.ts'
import { mutateRows, rowKinds } from './row-mutations.ts'
import { Workspace } from './workspace.ts'

/**
 * What the store is: closed by its owner; killed, so that only tables are vouched for; or meddled with by a program that
 * took the seal away, too.
 */
type State = 'closed' | 'killed' | 'unsealed'

interface Subject {
  readonly name: string
  readonly state: State
  mutate(place: Place): Promise<{ readonly what: string } | undefined>
}

const files = (state: State, kinds: readonly (typeof fileKinds)[number][]): Subject[] =>
  kinds.map((kind) => ({ name: kind, state, mutate: (place) => mutateFile(place, kind) }))

const rows = (state: State): Subject[] =>
  rowKinds.map((kind) => ({ name: `${kind} by LevelDB`, state, mutate: (place) => mutateRows(place, kind) }))

export const subjects: readonly Subject[] = [
  ...files('closed', fileKinds),
  { name: 'names', state: 'closed', mutate: mutateEntries },
  ...rows('closed'),
  // Not its log: it holds the last second of a killed store, which no witness covers yet.
  ...files('killed', ['ldb', 'manifest', 'current', 'seal']),
  // Without a seal rows are not protected: reads may be stale, and `verify` must report that. Tables have their own
  // checksums.
  ...files('unsealed', ['ldb', 'log', 'manifest']),
  ...rows('unsealed'),
]

export const subjectName = ({ name, state }: Pick<Subject, 'name' | 'state'>): string => `${name} (${state})`

export type Outcome =
  /** Every answer is right, and there is nothing to find or only leftovers. */
  | 'harmless'
  /** Every answer is right; verify names what is wrong. */
  | 'found'
  /** The store does not open, and gives the reason with a code. */
  | 'refused'
  /** Some answers are errors with codes; all others are right. */
  | 'errors'
  /** Wrong answers that verify names: only where no seal vouches for the files. */
  | 'stale'
  /** LevelDB ended the process: its assertions are on, and merging a damaged table can trip one. Loud, but without a name. */
  | 'died'
  /** Wrong answers; errors that verify does not find; errors without a code. */
  | 'silent'

export interface Verdict {
  readonly seed: number
  readonly subject: string
  readonly what: string
  readonly outcome: Outcome
  /** Codes of what was found, refused or answered. */
  readonly named: readonly string[]
  /** For `silent` and `stale`: what was wrong. */
  readonly wrong: readonly string[]
  /** What became of it, where a repair was tried. */
  readonly repair?: RepairVerdict['outcome']
}

export interface Bench {
  readonly earlier: string
  readonly workspaces: { readonly closed: Workspace; readonly killed: Workspace }
  readonly truths: { readonly closed: Truth; readonly killed: Truth }
}

export async function makeBench({ closed, earlier, killed }: Material, scratch: string): Promise<Bench> {
  const workspaces = {
    closed: new Workspace(closed, join(scratch, 'closed')),
    killed: new Workspace(killed, join(scratch, 'killed')),
  }
  // Its rows are read by opening it, which two processes cannot do at once.
  const past = new Workspace(earlier, join(scratch, 'earlier'))
  const truths = { closed: await truthOf(workspaces.closed.dir), killed: await truthOf(workspaces.killed.dir) }
  return { earlier: past.dir, workspaces, truths }
}

export async function tryOne(bench: Bench, seed: number): Promise<Verdict> {
  const subject = subjects[seed % subjects.length] as Subject
  const base = subject.state === 'killed' ? 'killed' : 'closed'
  const { dir } = bench.workspaces[base]
  const truth = bench.truths[base]
  const what = await damage(bench, subject, seed)
  const looked = await look(dir)
  const verdict = judge(subject, looked, await askIn(dir, truth, checkOf(seed)))
  const known = { seed, subject: subjectName(subject), what }
  if (looked.found.length === 0 || Math.floor(seed / subjects.length) % repairEvery !== 0)
    return { ...known, ...verdict }
  await damage(bench, subject, seed)
  const repair = await tryRepair(dir, `${dir}-salvaged`, truth)
  if (repair.outcome !== 'wrong') return { ...known, ...verdict, repair: repair.outcome }
  return { ...known, ...verdict, outcome: 'silent', repair: 'wrong', wrong: repair.wrong }
}

const repairEvery = 2

/** Half of the damage is done to a store whose tables were checked before. */
const checkOf = (seed: number): 'bytes' | 'changed' =>
  Math.floor(seed / subjects.length) % 2 === 0 ? 'bytes' : 'changed'

/** The same damage for the same seed. */
async function damage(bench: Bench, { state, mutate }: Subject, seed: number): Promise<string> {
  const workspace = bench.workspaces[state === 'killed' ? 'killed' : 'closed']
  workspace.restore()
  const { dir } = workspace
  if (checkOf(seed) === 'changed') await rememberTables(dir)
  const mutated = await mutate({ dir, earlier: bench.earlier, random: randomFrom(seed) })
  if (state === 'unsealed') await rm(join(dir, 'seal'), { recursive: true, force: true })
  return mutated?.what ?? 'nothing'
}

interface Looked {
  /** Codes of what `verify` found, leftovers aside, or of the error it ended with. */
  readonly found: readonly string[]
  readonly unnamed?: string
}

async function look(dir: string): Promise<Looked> {
  try {
    return { found: codesOf(await verifyStore(dir)) }
  } catch (error) {
    if (isStorageError(error)) return { found: [error.code] }
    return { found: [], unnamed: `verify: ${String(error)}` }
  }
}

const codesOf = ({ divergences }: VerifyReport): string[] => [
  ...new Set(divergences.filter((found) => !isLeftover(found)).map(({ kind }) => kind)),
]

/**
 * Tables have their checksums, even without the seal. Without the seal an old log cannot be distinguished from the
 * last.
 */
const isVouchedFor = ({ state, name }: Subject): boolean => state !== 'unsealed' || name === 'ldb'

function judge(subject: Subject, looked: Looked, requested: Requested): Pick<Verdict, 'outcome' | 'named' | 'wrong'> {
  const { found } = looked
  const refusals = requested.refused === undefined ? [] : [requested.refused]
  const unnamed = [...requested.unnamed, ...(looked.unnamed === undefined ? [] : [looked.unnamed])]
  const failures = [...requested.errors, ...refusals]
  const unreported = found.length > 0 || failures.length === 0 ? [] : [`verify found nothing; ${failures.join(', ')}`]
  const verdict = (outcome: Outcome, wrong: readonly string[] = []) => ({
    outcome,
    named: [...new Set([...found, ...failures])],
    wrong,
  })
  if (unnamed.length + unreported.length > 0) return verdict('silent', [...unnamed, ...unreported])
  if (requested.wrong.length > 0) {
    return verdict(!isVouchedFor(subject) && found.length > 0 ? 'stale' : 'silent', requested.wrong)
  }
  if (refusals.length > 0) return verdict('refused')
  if (requested.errors.length > 0) return verdict('errors')
  return verdict(found.length > 0 ? 'found' : 'harmless')
}
