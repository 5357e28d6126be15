/** One simulated machine: its disk, its database, its clock and its chance, and the store that runs on them unchanged. */
import { levelJournal, nodeCiphers, nodeHashing, openStoreDirectory } from '@varve/adapters'
import { type Ciphers, type Journal, type Keyring, openEngine, type Store, unwrapSecret, wrapSecret } from '@varve/core'
import { crashDisk, type DiskImage, emptyDisk, type Keep, keeps } from './disk-image.ts'
import { hexFrom, type Random } from '../support/random.ts'
import { crashRows, noRows, reopenRows, type RowImage } from './row-image.ts'
import { SimFiles } from './sim-files.ts'
import { SimRows } from './sim-level.ts'
import { atOnce, type Effects } from './world.ts'

export interface Image {
  readonly disk: DiskImage
  readonly rows: RowImage
}

export const emptyMachine: Image = { disk: emptyDisk, rows: noRows }

/** The machine as it comes up after a power cut. */
export const crash = ({ disk, rows }: Image, keep: Keep, random: Random): Image => ({
  disk: crashDisk(disk, keep, random),
  rows: crashRows(rows, keep, random),
})

/** The machine as it is when only the program died: what the system held is still there. */
const kill = ({ disk, rows }: Image): Image => ({ disk, rows: reopenRows(rows) })

/** How a life ends: the power goes, in one of the ways there are, or only the program is killed. */
export type Cut = Keep | 'kill'
export const cuts: readonly Cut[] = [...keeps, 'kill']

export const cutOff = (image: Image, cut: Cut, random: Random): Image =>
  cut === 'kill' ? kill(image) : crash(image, cut, random)

/** The disk of a machine and the one database on it. */
export class Hardware {
  readonly files: SimFiles
  readonly rows: SimRows

  /** `database`: the directory whose sync makes the names of the database's files durable. */
  constructor(effects: Effects, { disk, rows }: Image, database: string) {
    this.rows = new SimRows(effects, rows)
    this.files = new SimFiles(effects, disk, (path) => {
      if (path === database) this.rows.namesDurable()
    })
  }

  get image(): Image {
    return { disk: this.files.image, rows: this.rows.image }
  }
}

/** Small, so that every way for bytes to be stored takes few of them. */
const inlineMax = 8

const home = '/store'
const hashing = await nodeHashing()

export interface Booted {
  readonly store: Store
  close(): Promise<void>
}

/** The same on every machine: a file of the host, which is not simulated. */
const secret = { read: async () => new Uint8Array(32) }

/** The key is fixed, and other chance is that of the machine, so one seed is one history. */
function encryptionOn(random: Random) {
  const ciphers: Ciphers = { ...nodeCiphers, random: (length) => Uint8Array.from({ length }, () => random.below(256)) }
  const master = new Uint8Array(32)
  const keyring: Keyring = {
    master: 'master',
    has: () => false,
    wrap: async (_ref, secret, context) => wrapSecret(ciphers, master, secret, context),
    unwrap: async (_ref, wrapped, context) => unwrapSecret(ciphers, master, wrapped, context),
  }
  return { ciphers, keyring }
}

const unlocked = async () => ({ release: async () => undefined, isInPlace: async () => true })

export class Machine extends Hardware {
  readonly #effects: Effects

  constructor(effects: Effects, image: Image) {
    super(effects, image, `${home}/events`)
    this.#effects = effects
  }

  /**
   * Opens the store as an application does, including the sweep for orphans in the background, unless `sweep` is false.
   */
  async boot({ sweep = true }: { readonly sweep?: boolean } = {}): Promise<Booted> {
    const effects = this.#effects
    const now = () => Math.floor(effects.now)
    const ids = { next: () => hexFrom(effects.random) }
    const directory = await openStoreDirectory(home, {
      fs: this.files,
      ids,
      now,
      openLevel: (_path, { createIfMissing = false }) => this.rows.open(createIfMissing),
      lock: { file: unlocked, name: unlocked },
    })
    try {
      const { journal, blobs, witness, reserve } = directory
      const ports = { journal, blobs, witness, reserve, clock: { now, monotonic: now }, ids, hashing, secret }
      const store = await openEngine({ ...ports, ...encryptionOn(effects.random) }, { inlineMax })
      directory.markSound()
      if (directory.created) await directory.markReady()
      else if (sweep) void store.sweep({ orphans: true }).catch(() => undefined)
      const close = async () => {
        try {
          await store.close()
        } finally {
          await directory.close()
        }
      }
      return { store, close }
    } catch (error) {
      await directory.close().catch(() => undefined)
      throw error
    }
  }

  /** Names of files in `tmp`: none, when nothing is being written. */
  unfinished(): readonly string[] {
    return this.files.namesIn(`${home}/tmp`)
  }

  /** Ids of all blobs on the disk. */
  blobs(): readonly string[] {
    return this.files.namesIn(`${home}/blobs`).flatMap((shard) => this.files.namesIn(`${home}/blobs/${shard}`))
  }
}

/** An empty journal in which to make views again. */
export const scratchJournal = async (random: Random): Promise<Journal> =>
  levelJournal(await new SimRows(atOnce(random, 0), noRows).open(true), { sync: false })
