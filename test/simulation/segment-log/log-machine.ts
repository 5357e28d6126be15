/** A simulated machine that holds nothing but a segment log. */
import { openSegmentLog, type SegmentJournal } from '@varve/adapters'
import { Hardware, type Image } from '../machine.ts'
import type { Effects } from '../world.ts'

const home = '/log'

export class LogMachine extends Hardware {
  readonly #effects: Effects

  constructor(effects: Effects, image: Image) {
    super(effects, image, `${home}/views`)
    this.#effects = effects
  }

  /** Sizes at which a few commits take every way through the code. */
  open(createIfMissing: boolean): Promise<SegmentJournal> {
    return openSegmentLog(home, {
      createIfMissing,
      segmentBytes: 700,
      longFrom: 40,
      viewsBatchBytes: 900,
      viewsLagBytes: 900,
      reclaimBytes: 1,
      openFilesMax: 2,
      fs: this.files,
      openViews: (_path, options) => this.rows.open(options.createIfMissing === true),
      salt: () => Uint8Array.from({ length: 16 }, () => this.#effects.random.below(256)),
    })
  }
}
