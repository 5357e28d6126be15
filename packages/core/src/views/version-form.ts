/**
 * The binary form of rows of versions: `kind`, a bit each for delete markers, null versions and versions with an epoch;
 * position, epoch and time; owner; lives; then the facts of the object, up to the end.
 */
import { endsInSeqDescending } from '../bytes/key-codec.ts'
import { Malformed, type RecordReader } from '../codec/record-reader.ts'
import type { RecordWriter } from '../codec/record-writer.ts'
import { count } from '../codec/scalars.ts'
import { actor } from '../events/actor-form.ts'
import { epoch } from '../events/epoch-form.ts'
import { Mismatch } from '../schema/schema.ts'
import { readLives, writeLives } from './lives.ts'
import type { RowForm } from './row-form.ts'
import { DeleteMarkerRow, ObjectVersionRow, type VersionPlace, type VersionRow } from './version-row.ts'

const bits = { marker: 1, nullVersion: 2, epoch: 4 } as const
const allBits = bits.marker | bits.nullVersion | bits.epoch

function write(to: RecordWriter, row: VersionRow): void {
  if (typeof row.nullVersion !== 'boolean') throw Mismatch.wrongType('true or false', row.nullVersion)
  const marks = (row.deleteMarker ? bits.marker : 0) | (row.nullVersion ? bits.nullVersion : 0)
  to.byte(row.epoch === undefined ? marks : marks | bits.epoch)
  count.write(to, row.seq)
  if (row.epoch !== undefined) epoch.write(to, row.epoch)
  count.write(to, row.at)
  actor.write(to, row.owner)
  writeLives(to, row.lives, row.seq)
  if (!row.deleteMarker) row.writeFacts(to)
}

function read(from: RecordReader, key: Uint8Array): VersionRow {
  const kind = from.byte()
  if (kind > allBits) throw new Malformed('an unknown kind')
  const place = readPlace(from, kind)
  if ((kind & bits.marker) !== 0) return new DeleteMarkerRow(place)
  return new ObjectVersionRow(place, from, key)
}

/**
 * A form whose rows are of one of the tables only, and of their key: a walk that goes on from the position of a row would
 * otherwise go back, and never end.
 */
const formFor = <R extends VersionRow>(isOfTable: (row: VersionRow, key: Uint8Array) => boolean): RowForm<R> => ({
  write,
  read(from, key) {
    const row = read(from, key)
    if (!isOfTable(row, key)) throw new Malformed('a row of another table or position')
    return row as R
  },
})

export const versionForm = formFor<VersionRow>(
  ({ until, seq }, key) => until === undefined && endsInSeqDescending(key, seq),
)
export const currentForm = formFor<ObjectVersionRow>((row) => row.until === undefined && !row.deleteMarker)
export const pastVersionForm = formFor<VersionRow>(
  ({ until, seq }, key) => until !== undefined && endsInSeqDescending(key, seq),
)

function readPlace(from: RecordReader, kind: number): VersionPlace {
  const seq = from.count()
  const ofEpoch = (kind & bits.epoch) === 0 ? undefined : epoch.read(from)
  const [at, owner] = [from.count(), actor.read(from)]
  const nullVersion = (kind & bits.nullVersion) !== 0
  return { seq, epoch: ofEpoch, at, owner, nullVersion, lives: readLives(from, seq) }
}
