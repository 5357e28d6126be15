/** A ledger: a directory with a file for each release and machine. */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchResults, Machine } from '../results/results.ts'
import { broken, entryText, fileNameOf, parseEntry } from './entry-text.ts'
import type { EntryFacts, LedgerEntry } from './ledger-entry.ts'
import { LedgerError } from './ledger-error.ts'
import { compareVersions } from './versions.ts'

export interface LedgerPlace extends EntryFacts {
  readonly directory: string
  /** Whether the run may replace the entry of the same release and machine. */
  readonly replace: boolean
}

/** All entries, in the order of the releases. None if there is no such directory. @throws LedgerError `BrokenLedgerEntry` */
export async function readLedger(directory: string): Promise<readonly LedgerEntry[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const entries = await Promise.all(names.filter((name) => name.endsWith('.json')).map((name) => read(directory, name)))
  return entries.toSorted(inOrder)
}

const inOrder = (a: LedgerEntry, b: LedgerEntry): number =>
  compareVersions(a.varve, b.varve) || (a.label < b.label ? -1 : 1)

/** The entries with another one, which takes the place of that of the same release and machine. */
export const withEntry = (entries: readonly LedgerEntry[], entry: LedgerEntry): readonly LedgerEntry[] =>
  [...entries.filter((one) => fileNameOf(one) !== fileNameOf(entry)), entry].toSorted(inOrder)

async function read(directory: string, name: string): Promise<LedgerEntry> {
  const path = join(directory, name)
  const entry = parseEntry(path, await readFile(path, 'utf8'))
  const wanted = fileNameOf(entry)
  // Otherwise a copied file would count twice.
  if (name !== wanted) throw broken(path, `holds ${entry.varve} on ${entry.label}, whose file is ${wanted}`)
  return entry
}

/**
 * Checks before a run that its entry can be added, since a run may take an hour.
 * @throws LedgerError
 */
export async function assertAddable(
  { directory, label, replace }: LedgerPlace,
  { varve, machine }: Pick<BenchResults, 'varve' | 'machine'>,
): Promise<void> {
  const entries = await readLedger(directory)
  const same = entries.find((entry) => entry.label === label && entry.varve === varve)
  if (same !== undefined && !replace) throw entryExists(join(directory, fileNameOf(same)))
  const other = entries.find((entry) => entry.label === label && entry !== same && !isSame(entry.machine, machine))
  if (other === undefined) return
  const reason = `${label} is ${machineText(other.machine)} in ${join(directory, fileNameOf(other))}, and this is ${machineText(machine)}`
  throw new LedgerError('OtherMachine', `${reason}. Their figures cannot be compared: use another label.`)
}

/** Resolves with the path of the file. @throws LedgerError `LedgerEntryExists` */
export async function addEntry({ directory, replace }: LedgerPlace, entry: LedgerEntry): Promise<string> {
  const path = join(directory, fileNameOf(entry))
  await mkdir(directory, { recursive: true })
  if (replace) {
    // A file that is cut short would break the ledger.
    await writeFile(`${path}.new`, entryText(entry))
    await rename(`${path}.new`, path)
    return path
  }
  await writeFile(path, entryText(entry), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? entryExists(path) : error
  })
  return path
}

const entryExists = (path: string): LedgerError =>
  new LedgerError('LedgerEntryExists', `${path} exists. With --replace, this run replaces it.`)

const machineText = ({ processors, model, fileSystem = 'an unknown file system' }: Machine): string =>
  `${processors} × ${model} with ${fileSystem}`

/** The kernel may have another version: that is a part of what a release meets. */
const isSame = (a: Machine, b: Machine): boolean => machineText(a) === machineText(b)
