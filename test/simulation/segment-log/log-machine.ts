/** A simulated machine that holds nothing but a segment log. */
import { openSegmentLog, type SegmentJournal } from '@varve/adapters'
import { crashDisk, emptyDisk, type Keep } from '../disk-image.ts'
import type { Image } from '../machine.ts'
import type { Random } from '../random.ts'
import { crashRows, noRows, reopenRows } from '../row-image.ts'
import { SimFiles } from '../sim-files.ts'
import { SimRows } from '../sim-level.ts'
import type { Effects } from '../world.ts'

const home = '/log'

export const emptyLogMachine: Image = { disk: emptyDisk, rows: noRows }

/** How a life ends: the power goes, in one of four ways, or the program is killed. */
export type Cut = Keep | 'kill'
export const cuts: readonly Cut[] = ['none', 'all', 'names', 'subset', 'kill']

/** The machine as it comes up again. */
export const cutOff = ({ disk, rows }: Image, cut: Cut, random: Random): Image =>
  cut === 'kill'
    ? { disk, rows: reopenRows(rows) }
    : { disk: crashDisk(disk, cut, random), rows: crashRows(rows, cut, random) }

export class LogMachine {
  readonly files: SimFiles
  readonly rows: SimRows
  readonly #effects: Effects

  constructor(effects: Effects, { disk, rows }: Image) {
    this.#effects = effects
    this.rows = new SimRows(effects, rows)
    this.files = new SimFiles(effects, disk, (path) => {
      if (path === `${home}/views`) this.rows.namesDurable()
    })
  }

  get image(): Image {
    return { disk: this.files.image, rows: this.rows.image }
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
