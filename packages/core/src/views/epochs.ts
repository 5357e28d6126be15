/** The epochs of the log: which one is in force at a position. */
import type { Epoch, EventPlace } from '../base/epoch.ts'
import { type Soon, whenThere } from '../base/soon.ts'
import type { Seq } from '../ports/index.ts'
import type { Rows } from './row-reader.ts'
import type { EpochsRow } from './rows.ts'
import { epochsKey } from './tables.ts'

export type Epochs = EpochsRow['epochs']

export const loadEpochs = (rows: Pick<Rows, 'get'>): Soon<Epochs> =>
  whenThere(rows.get(epochsKey), (row) => row?.epochs ?? [])

/**
 * Whether a version or an upload of this place can be in this branch of the log. None has the position of an event that
 * begins an epoch, except in another branch.
 */
export const isOfBranch = (epochs: Epochs, { seq, epoch }: EventPlace): boolean =>
  epochs.every(({ since }) => since !== seq) && epochAt(epochs, seq) === epoch

/** The epoch in force at a position. */
export const epochAt = (epochs: Epochs, seq: Seq): Epoch | undefined =>
  epochs.findLast(({ since }) => since < seq)?.epoch
