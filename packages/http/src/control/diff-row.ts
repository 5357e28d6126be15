/** What differs in a bucket between two moments. */
import { type DiffEntry, type DiffedVersion, type DiffScope, type Moment, type ObjectAspect, schema } from '@varve/core'
import { streamedPage } from './answer-holding.ts'
import { moment, name, position } from './common-fields.ts'
import { linesRow } from './control-row.ts'
import { momentForm, query } from './input.ts'
import { listedFacts } from './listing-rows.ts'

const { array, either, json, literal, object, objectWith, optional, text } = schema

/** What is compared. */
export interface DiffInput extends DiffScope {
  readonly from: Moment
  /** @default the newest state */
  readonly to?: Moment
}

type Entry<K extends DiffEntry['kind']> = Extract<DiffEntry, { readonly kind: K }>

export const diffedVersion = objectWith<DiffedVersion>({ ...listedFacts, seq: position })

export const aspects = array(
  literal<ObjectAspect>('bytes', 'metadata', 'owner', 'tags', 'acl', 'retention', 'legalHold'),
)

/** The values of a setting are those of `GET` of its kind; they are not checked again. */
const setting = objectWith<{
  readonly kind: 'setting'
  readonly setting: string
  readonly before?: schema.Json
  readonly after?: schema.Json
}>({ kind: literal('setting'), setting: text(), before: optional(json), after: optional(json) })

export const diffEntry = either<DiffEntry>(
  'a difference',
  objectWith<Entry<'added'>>({ kind: literal('added'), key: text(), after: diffedVersion }),
  objectWith<Entry<'removed'>>({ kind: literal('removed'), key: text(), before: diffedVersion }),
  objectWith<Entry<'changed'>>({
    kind: literal('changed'),
    key: text(),
    before: diffedVersion,
    after: diffedVersion,
    aspects,
  }),
  objectWith<Entry<'bucket'>>({ kind: literal('bucket'), change: literal('created', 'deleted', 'recreated') }),
  setting as unknown as schema.Schema<Entry<'setting'>>,
)

export const readDiff = linesRow<DiffInput, DiffEntry>({
  name: 'ReadDiff',
  summary: 'What differs in a bucket, or beneath a prefix, between two moments',
  method: 'GET',
  path: '/-/v1/diff',
  input: query(object<DiffInput>({ bucket: name, prefix: optional(name), from: moment, to: optional(moment) }), {
    from: momentForm,
    to: momentForm,
  }),
  output: diffEntry,
  run: ({ store, input: { from, to = store.seq, ...scope }, signal }) =>
    store.diff(scope, from, to, { limit: streamedPage, signal }),
})
