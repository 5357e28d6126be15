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
import type { VerifyStoreOptions } from './directory-arguments.ts'
import { findFilling } from '../replicas/find-filling.ts'
import { diskScratch, scratchDirectoryOf } from '../store/disk-scratch.ts'

/** A store under inspection, with the findings. */
export interface Inspection extends Examination {
  readonly directory: InspectedDirectory
  /** The directory for temporary files. */
  readonly scratch: string
}

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
  const { scratchDir, readOnly = false, repairCopy = false, finishRepair = false, keyring, ...verifyOptions } = options
  const path = resolve(dir)
  const scratch = scratchDir === undefined ? scratchDirectoryOf(path) : resolve(scratchDir)
  const filling = await findFilling(path, keyring)
  const stored = await inspectStoreDirectory(path, { scratch, repairCopy, finishRepair, readOnly })
  const directory =
    filling === undefined ? stored : { ...stored, blobs: { ...stored.blobs, ...filling.reading(stored.blobs) } }
  try {
    const examination = await examined(directory, scratch, verifyOptions)
    return await use({ directory, scratch, ...examination })
  } finally {
    await filling?.close()
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
