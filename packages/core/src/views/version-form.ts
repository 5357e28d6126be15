/**
 * The binary form of rows of versions: `kind`, a bit for delete markers and a bit for null versions; position and time;
 * owner; lives; then the facts of the object, up to the end.
 */
import { endsInSeqDescending } from '../bytes/key-codec.ts'
import { Malformed, type RecordReader } from '../codec/record-reader.ts'
import type { RecordWriter } from '../codec/record-writer.ts'
import { count } from '../codec/scalars.ts'
import { actor } from '../events/actor-form.ts'
import { Mismatch } from '../schema/schema.ts'
import { readLives, writeLives } from './lives.ts'
import type { RowForm } from './row-form.ts'
import { DeleteMarkerRow, ObjectVersionRow, type VersionPlace, type VersionRow } from './version-row.ts'

const bits = { marker: 1, nullVersion: 2 } as const

function write(to: RecordWriter, row: VersionRow): void {
  if (typeof row.nullVersion !== 'boolean') throw Mismatch.wrongType('true or false', row.nullVersion)
  to.byte((row.deleteMarker ? bits.marker : 0) | (row.nullVersion ? bits.nullVersion : 0))
  count.write(to, row.seq)
  count.write(to, row.at)
  actor.write(to, row.owner)
  writeLives(to, row.lives, row.seq)
  if (!row.deleteMarker) row.writeFacts(to)
}

function read(from: RecordReader, key: Uint8Array): VersionRow {
  const kind = from.byte()
  if (kind > (bits.marker | bits.nullVersion)) throw new Malformed('an unknown kind')
  const place = readPlace(from, (kind & bits.nullVersion) !== 0)
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

function readPlace(from: RecordReader, nullVersion: boolean): VersionPlace {
  const [seq, at, owner] = [from.count(), from.count(), actor.read(from)]
  return { seq, at, owner, nullVersion, lives: readLives(from, seq) }
}
