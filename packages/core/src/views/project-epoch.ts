import { type Soon, whenThere } from '../base/soon.ts'
import type { RecordedEvent } from '../events/index.ts'
import { loadEpochs } from './epochs.ts'
import type { RowTransaction } from './row-transaction.ts'
import { epochsKey } from './tables.ts'

export const projectEpoch = (rows: RowTransaction, { seq, data: { epoch } }: RecordedEvent<'EpochBegun'>): Soon<void> =>
  whenThere(loadEpochs(rows), (epochs) => rows.put(epochsKey, { epochs: [...epochs, { since: seq, epoch }] }))
