/** Verifies a store in a directory without opening or changing it. This also works for a store that does not open. */
import { resolve } from 'node:path'
import {
  type InspectedDirectory,
  inspectStoreDirectory,
  nodeHashing,
  privateScratch,
  removeScratch,
} from '@varve/adapters'
import {
  type Divergence,
  examine,
  type Examination,
  isLeftover,
  type VerifyOptions,
  type VerifyReport,
} from '@varve/core'
import { verifyStoreOptions, type VerifyStoreOptions } from './directory-arguments.ts'
import { pathOf } from '../files/paths.ts'
import { diskScratch, scratchDirectoryOf } from '../store/disk-scratch.ts'

/** A store under inspection, with the findings. */
export interface Inspection extends Examination {
  readonly directory: InspectedDirectory
  /** The directory for temporary files. */
  readonly scratch: string
}

/**
 * Lists everything that does not agree in the store in `dir`. Writes only to the directory for temporary files, which
 * with `readOnly` is outside the store.
 * @throws StorageError `StoreLocked`, `StoreNotFound`, `UnsupportedFormat` (a newer release made it, or it must be upgraded first),
 * `ReadOnly` (a change of its parts was interrupted: `openStore` finishes it), `NoSpace`,
 * `JournalFailed`, `InvalidArgument`; the reason of `signal`.
 */
export const verifyStore = async (dir: string, options: VerifyStoreOptions = {}): Promise<VerifyReport> =>
  inspecting(pathOf('dir', dir), verifyStoreOptions(options), async ({ report }) => report)

interface InspectingOptions extends VerifyStoreOptions {
  readonly repairCopy?: boolean
  readonly finishRepair?: boolean
}

/** Verifies the store and calls `use` with the findings and the open parts, before they are closed. */
export async function inspecting<T>(
  dir: string,
  options: InspectingOptions,
  use: (inspection: Inspection) => Promise<T>,
): Promise<T> {
  if (options.readOnly !== true || options.scratchDir !== undefined) return inspectingIn(dir, options, use)
  const scratchDir = await privateScratch()
  try {
    return await inspectingIn(dir, { ...options, scratchDir }, use)
  } finally {
    await removeScratch(scratchDir)
  }
}

async function inspectingIn<T>(
  dir: string,
  options: InspectingOptions,
  use: (inspection: Inspection) => Promise<T>,
): Promise<T> {
  const { scratchDir, readOnly = false, repairCopy = false, finishRepair = false, ...verifyOptions } = options
  const path = resolve(dir)
  const scratch = scratchDir === undefined ? scratchDirectoryOf(path) : resolve(scratchDir)
  const directory = await inspectStoreDirectory(path, { scratch, repairCopy, finishRepair, readOnly })
  try {
    const examination = await examined(directory, scratch, verifyOptions)
    return await use({ directory, scratch, ...examination })
  } finally {
    await directory.close()
  }
}

async function examined(directory: InspectedDirectory, scratch: string, options: VerifyOptions): Promise<Examination> {
  const { journal, blobs, witness, divergences } = directory
  if (journal === undefined) return { report: unread(divergences, options), soundTo: 0 }
  const made = await diskScratch(scratch)
  try {
    const ports = { journal, blobs, witness, hashing: await nodeHashing() }
    return await examine(ports, { ...options, scratch: made.journal }, divergences)
  } finally {
    await made.remove()
  }
}

/** A report without a readable log: nothing can be compared with it. */
function unread(divergences: readonly Divergence[], { onDivergence }: VerifyOptions): VerifyReport {
  for (const divergence of divergences) onDivergence?.(divergence)
  const leftovers = divergences.filter(isLeftover).length
  return { ok: false, events: 0, rows: 0, blobs: 0, bytes: 0, divergences, found: divergences.length, leftovers }
}
