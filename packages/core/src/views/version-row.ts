/**
 * Rows of versions. A listing shows few facts of an object, so the others are decoded only when they are read.
 *
 * The facts stay in the form in which the event has them, so writing a row copies their bytes. Rows are instances with
 * private fields: a spread or a literal in their place does not compile.
 */
import { frozen } from '../base/frozen.ts'
import { RecordReader } from '../codec/record-reader.ts'
import type { RecordWriter } from '../codec/record-writer.ts'
import { contentOfFacts, facts, type ShownFacts, shownFacts } from '../events/content-forms.ts'
import type { Actor, Content, ObjectFacts } from '../events/index.ts'
import type { Epoch, EventPlace } from '../base/epoch.ts'
import type { Seq } from '../ports/index.ts'
import { corruptRow } from './corrupt-row.ts'
import type { Lives } from './lives.ts'

/** Where and when a version was added, and by whom. */
export interface VersionPlace extends EventPlace {
  readonly at: number
  readonly owner: Actor
  readonly nullVersion: boolean
  /** Absent: one life, from `seq` on. Most rows have it, and a listing makes thousands of them. */
  readonly lives?: Lives | undefined
}

/** What object versions and delete markers have in common. */
abstract class PlacedRow {
  readonly seq: Seq
  readonly epoch: Epoch | undefined
  readonly at: number
  readonly owner: Actor
  readonly nullVersion: boolean
  readonly #lives: Lives | undefined

  constructor({ seq, epoch, at, owner, nullVersion, lives }: VersionPlace) {
    this.seq = seq
    this.epoch = epoch
    this.at = at
    this.owner = owner
    this.nullVersion = nullVersion
    this.#lives = lives
  }

  get lives(): Lives {
    return this.#lives ?? [{ from: this.seq }]
  }

  /** The event that removed the version. Absent while it exists. */
  get until(): Seq | undefined {
    return this.#lives?.at(-1)?.until
  }

  /** Whether a fork describes a version of its base by this row. */
  get isBorrowed(): boolean {
    const [first] = this.#lives ?? []
    return first !== undefined && first.from > this.seq
  }

  /** Whether the version existed after event `at`. */
  existedAt(at: Seq): boolean {
    return this.#lives === undefined
      ? this.seq <= at
      : this.#lives.some(({ from, until }) => from <= at && (until === undefined || at < until))
  }

  protected placeWith(lives: Lives): VersionPlace {
    const { seq, epoch, at, owner, nullVersion } = this
    return { seq, epoch, at, owner, nullVersion, lives }
  }

  /** Where and when it was added, with a new life. */
  protected placeRestored(from: Seq): VersionPlace {
    return this.placeWith([...this.lives, { from }])
  }

  /** Where and when it was added, with its life ended. */
  protected placeEnded(until: Seq): VersionPlace {
    const { lives } = this
    return this.placeWith(lives.map((life, i) => (i === lives.length - 1 ? { from: life.from, until } : life)))
  }
}

/** An object. */
export class ObjectVersionRow extends PlacedRow {
  readonly deleteMarker = false
  readonly shown: ShownFacts
  readonly #bytes: Uint8Array
  readonly #from: number
  readonly #key: Uint8Array
  #facts: ObjectFacts | undefined
  #content: Content | undefined

  /**
   * Steps over the facts, which are the rest of what the reader has. `key` is the key of the row, for errors. `shown`: the
   * shown facts, if they were read before.
   * @throws Malformed if the shown facts cannot be read
   */
  constructor(place: VersionPlace, stored: RecordReader, key: Uint8Array, shown?: ShownFacts) {
    super(place)
    this.#bytes = stored.bytes
    this.#from = stored.at
    this.#key = key
    this.shown = shown ?? shownFacts(stored)
    stored.take(stored.left)
  }

  get size(): number {
    return this.shown.size
  }

  get etag(): string {
    return this.shown.etag
  }

  /** All facts. They are shared and frozen. @throws StorageError `RowCorrupt` */
  get facts(): ObjectFacts {
    return (this.#facts ??= this.#decoded((from) => facts.read(from), { whole: true }))
  }

  /** The content alone, shared and frozen: a removal needs no more of the facts. @throws StorageError `RowCorrupt` */
  get content(): Content {
    return (this.#content ??= this.#facts?.content ?? this.#decoded(contentOfFacts, { whole: false }))
  }

  /** The same version, removed by the event at `until`. */
  ended(until: Seq): ObjectVersionRow {
    return this.#placed(this.placeEnded(until))
  }

  /** The same version, there again by the event at `from`. */
  restored(from: Seq): ObjectVersionRow {
    return this.#placed(this.placeRestored(from))
  }

  /** The same version, described in a fork. */
  withLives(lives: Lives): ObjectVersionRow {
    return this.#placed(this.placeWith(lives))
  }

  /** Writes the facts as they are stored. */
  writeFacts(to: RecordWriter): void {
    to.bytes(this.#bytes.subarray(this.#from))
  }

  #placed(place: VersionPlace): ObjectVersionRow {
    return new ObjectVersionRow(place, new RecordReader(this.#bytes, this.#from), this.#key, this.shown)
  }

  /** `whole`: nothing is behind what is read. */
  #decoded<T extends object>(read: (from: RecordReader) => T, { whole }: { readonly whole: boolean }): T {
    try {
      const from = new RecordReader(this.#bytes, this.#from)
      const value = read(from)
      if (whole) from.end()
      return frozen(value)
    } catch {
      throw corruptRow(this.#key, 'payload')
    }
  }
}

/** A delete marker. */
export class DeleteMarkerRow extends PlacedRow {
  readonly deleteMarker = true

  /** The same marker, removed by the event at `until`. */
  ended(until: Seq): DeleteMarkerRow {
    return new DeleteMarkerRow(this.placeEnded(until))
  }

  /** The same marker, described in a fork. */
  withLives(lives: Lives): DeleteMarkerRow {
    return new DeleteMarkerRow(this.placeWith(lives))
  }

  /** The same marker, there again by the event at `from`. */
  restored(from: Seq): DeleteMarkerRow {
    return new DeleteMarkerRow(this.placeRestored(from))
  }
}

/** A version of an object, or a delete marker. */
export type VersionRow = ObjectVersionRow | DeleteMarkerRow
