import { StorageError } from '../base/errors.ts'
import { type Epochs, loadEpochs } from '../views/epochs.ts'
import type { Rule } from './rule.ts'

/** @throws `EpochConflict` if the log ends elsewhere, `InvalidArgument` for an epoch that the log has had */
export const beginEpoch: Rule<'BeginEpoch', Epochs> = {
  load: loadEpochs,

  decide(epochs, data, _meta, { end }) {
    const { epoch, from } = data
    if (from.seq !== end.seq || from.hash !== end.hash) {
      throw new StorageError(
        'EpochConflict',
        `The epoch was to begin after event ${from.seq}, but the log ends at ${end.seq}${from.seq === end.seq ? ' with another event' : ''}.`,
        { details: { from: from.seq, end: end.seq } },
      )
    }
    if (epochs.some((earlier) => earlier.epoch === epoch)) {
      throw new StorageError('InvalidArgument', `The log has had the epoch ${epoch} already.`)
    }
    return [{ type: 'EpochBegun', data }]
  },
}
