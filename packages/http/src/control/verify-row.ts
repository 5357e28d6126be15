/** A verification of the open store. */
import {
  type Divergence,
  type FoundDamage,
  type Named,
  type Progress,
  schema,
  type Store,
  type Tip,
  type VerifyOptions,
  type VerifyReport,
  type VerifyStage,
} from '@varve/core'
import { ofList } from './answer-holding.ts'
import { isoDate, position } from './common-fields.ts'
import { linesRow } from './control-row.ts'
import { jsonBody, nothing } from './input.ts'
import { type LongClient, withProgress } from './with-progress.ts'

const { array, boolean, integer, literal, object, objectWith, optional, text } = schema

/** How the store is verified. */
export type VerifyInput = Pick<VerifyOptions, 'blobs' | 'views' | 'tip'>
type StageProgress = Progress & { readonly stage: VerifyStage }

/** One of these: the progress now and then, then each divergence, then the totals. */
export interface VerifyLine {
  readonly progress?: StageProgress
  readonly divergence?: Divergence
  readonly report?: Omit<VerifyReport, 'divergences'>
}

const count = integer({ min: 0 })
const tip = objectWith<Tip>({ seq: position, hash: text() })

const named = objectWith<Named>({
  bucket: optional(text()),
  key: optional(text()),
  versionId: optional(text()),
  uploadId: optional(text()),
  partNumber: optional(count),
  keyspace: optional(text()),
})

const divergenceFields: schema.FieldsOf<Divergence> = {
  kind: text() as unknown as schema.Schema<Divergence['kind']>,
  message: text(),
  seq: optional(position),
  count: optional(count),
  key: optional(text()),
  table: optional(text()),
  of: optional(named),
  runs: optional(array(count)),
}

const divergence = objectWith<Divergence>(divergenceFields)

export const listDamage = linesRow<object, FoundDamage>({
  name: 'ListDamage',
  summary: 'The damage that scrubbing found since the store was opened, and that no later pass has missed',
  method: 'GET',
  path: '/-/v1/damage',
  // It names objects of all buckets, as a verification does.
  action: 'varve:Verify',
  input: nothing,
  output: objectWith<FoundDamage>({ ...divergenceFields, foundAt: isoDate }),
  async *run({ store, holding }) {
    yield* ofList(holding, store.damage)
  },
})

export const verifyStore = linesRow<VerifyInput, VerifyLine>({
  name: 'Verify',
  summary: 'Compares log, views and blobs with each other',
  method: 'POST',
  path: '/-/v1/verify',
  action: 'varve:Verify',
  input: jsonBody(
    object<VerifyInput>({
      blobs: optional(literal('read', 'present', 'skip')),
      views: optional(literal('compare', 'check', 'skip')),
      tip: optional(object<Tip>({ seq: position, hash: text() })),
    }),
  ),
  output: objectWith<VerifyLine>({
    progress: optional(
      objectWith<StageProgress>({ stage: literal('log', 'views', 'blobs'), done: count, total: count }),
    ),
    divergence: optional(divergence),
    report: optional(
      objectWith<Omit<VerifyReport, 'divergences'>>({
        ok: boolean,
        events: count,
        rows: count,
        blobs: count,
        bytes: count,
        found: count,
        leftovers: count,
        healed: optional(count),
        tip: optional(tip),
      }),
    ),
  }),
  run: ({ store, input, signal, holding }) => verification(store, { ...input, signal }, { holding, signal }),
})

async function* verification(
  store: Store,
  options: VerifyInput & { readonly signal: AbortSignal },
  client: LongClient,
): AsyncGenerator<VerifyLine> {
  const { divergences, ...report } = yield* withProgress(
    { ...client, isDry: true },
    (onProgress: (now: StageProgress) => void) => store.verify({ ...options, onProgress }),
  )
  for (const one of divergences) yield { divergence: one }
  yield { report }
}
