/** Rows of objects with given facts, for tests. */
import { payloadOf } from '../bytes/frame.ts'
import { RecordReader } from '../codec/record-reader.ts'
import { writeRecord } from '../codec/record.ts'
import { facts as factsForm } from '../events/content-forms.ts'
import type { ObjectFacts } from '../events/index.ts'
import { ObjectVersionRow, type VersionPlace } from './version-row.ts'

/** Writes the facts as an event would. */
export function objectRow(place: VersionPlace, facts: ObjectFacts): ObjectVersionRow {
  const bytes = payloadOf(writeRecord((to) => factsForm.write(to, facts)))
  return new ObjectVersionRow(place, new RecordReader(bytes, 0), new Uint8Array())
}
