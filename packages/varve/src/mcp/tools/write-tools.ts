/** `write` and `move`. */
import { isStorageError, type ObjectInfo, schema, StorageError } from '@varve/core'
import { bytesOfBase64 } from '../session/content.ts'
import { assertWritable } from '../session/scope.ts'
import { planned } from './planned.ts'
import { confirmField, described, keyField, tool, type ToolCall } from './tool.ts'

const { boolean, object, optional, text } = schema

interface WriteInput {
  readonly key: string
  readonly text?: string
  readonly base64?: string
  readonly contentType?: string
  readonly ifMatch?: string
  readonly ifAbsent?: boolean
}

/** Longer ones are refused by the limit of the session, with its own code. */
const contentMax = 2 ** 29

export const writeTool = tool<WriteInput>({
  name: 'write',
  title: 'Write an object',
  description:
    'Writes a whole object from text or base64. What the key had before stays as an older version. Give ifMatch with the etag that you have read, so that changes of others are not overwritten.',
  hints: { destructiveHint: false, idempotentHint: false },
  input: object<WriteInput>({
    key: keyField,
    text: optional(described(text({ max: contentMax }), 'the content as text, stored in UTF-8')),
    base64: optional(described(text({ max: contentMax }), 'the content as base64, in place of text')),
    contentType: optional(described(text({ max: 256 }), 'the MIME type; default: text/plain for text')),
    ifMatch: optional(described(text({ max: 256 }), 'only if the object has this etag')),
    ifAbsent: optional(described(boolean, 'only if there is no object')),
  }),
  async run({ session, store, signal, requestId }, { key, contentType, ifMatch, ifAbsent = false, ...content }) {
    const place = session.scope.keyOf(assertWritable(key))
    const bytes = contentOf(content)
    session.spending.spend({ bytes: bytes.length, operations: 1 })
    const typeDefault = content.text === undefined ? 'application/octet-stream' : 'text/plain; charset=utf-8'
    const written = await store.objects.put(session.workspace.bucket, place, bytes, {
      contentType: contentType ?? typeDefault,
      signal,
      ...(ifMatch !== undefined && { ifMatch }),
      ...(ifAbsent && { ifNoneMatch: '*' as const }),
    })
    const { versionId, etag, size, seq } = written
    return { facts: { key, versionId, etag, size, position: seq, requestId } }
  },
})

/** @throws StorageError `InvalidArgument` */
function contentOf({ text: given, base64 }: Pick<WriteInput, 'text' | 'base64'>): Uint8Array {
  if (given !== undefined && base64 === undefined) return Buffer.from(given)
  if (base64 !== undefined && given === undefined) return bytesOfBase64(base64)
  throw new StorageError('InvalidArgument', 'The content is either text or base64.')
}

interface MoveInput {
  readonly from: string
  readonly to: string
  readonly confirm?: string
}

interface Move {
  readonly source: ObjectInfo
  /** What the new key has now. */
  readonly replaced: ObjectInfo | undefined
}

export const moveTool = tool<MoveInput>({
  name: 'move',
  title: 'Move an object',
  description:
    'Gives an object another key; no bytes are copied. If there is an object under the new key, the call answers with a plan first.',
  hints: { destructiveHint: true },
  input: object<MoveInput>({
    from: described(text({ max: 4096 }), 'the key that the object has'),
    to: described(text({ max: 4096 }), 'the key that it gets'),
    confirm: optional(confirmField),
  }),
  async run(call, input) {
    const { from, to, confirm } = input
    assertWritable(to)
    if (from === to) throw new StorageError('InvalidRequest', 'The object has this key already.')
    const found = await moveOf(call, { from, to })
    if (found.replaced === undefined && confirm === undefined)
      return { facts: { changed: true, ...(await move(call, { from, to }, found)) } }
    return planned<Move>(call, input, {
      plan: () => moveOf(call, { from, to }),
      stateOf: ({ source, replaced }) => [source.seq, replaced?.seq ?? null],
      isEmpty: () => false,
      show: ({ source, replaced }) => ({ moves: factsOf(source), replaces: replaced && factsOf(replaced) }),
      make: (plan) => move(call, { from, to }, plan),
    })
  },
})

const factsOf = ({ size, etag, versionId, lastModified }: ObjectInfo) => ({ size, etag, versionId, lastModified })

async function moveOf({ session, store, signal }: ToolCall, { from, to }: MoveInput): Promise<Move> {
  const { bucket } = session.workspace
  const source = await store.objects.head(bucket, session.scope.keyOf(from), { signal })
  const replaced = await store.objects.head(bucket, session.scope.keyOf(to), { signal }).catch((error: unknown) => {
    if (isStorageError(error, 'NoSuchKey')) return undefined
    throw error
  })
  return { source, replaced }
}

/** The copy is made first: if the deletion is refused, the object has both keys and nothing is lost. */
async function move(
  { session, store, signal, requestId }: ToolCall,
  { from, to }: MoveInput,
  { source, replaced }: Move,
): Promise<object> {
  const { bucket } = session.workspace
  session.spending.spend({ operations: 2 })
  const { versionId, etag, size } = await store.objects.copy(
    { bucket, key: source.key, versionId: source.versionId, conditions: { ifMatch: [source.etag] } },
    bucket,
    session.scope.keyOf(to),
    { signal, ...(replaced === undefined ? { ifNoneMatch: '*' as const } : { ifMatch: replaced.etag }) },
  )
  await store.objects.delete(bucket, session.scope.keyOf(from), { ifMatch: source.etag, signal })
  return { from, to, versionId, etag, size, requestId }
}
