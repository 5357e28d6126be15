/** `delete` and `delete_prefix`. */
import { isStorageError, type ListedObject, schema, StorageError } from '@varve/core'
import { planned, some } from './planned.ts'
import { confirmField, described, keyField, tool, type ToolCall } from './tool.ts'

const { object, optional, text } = schema

interface DeleteInput {
  readonly key: string
  readonly confirm?: string
}

export const deleteTool = tool<DeleteInput>({
  name: 'delete',
  title: 'Delete an object',
  description: 'Deletes an object. Without confirm it answers with a plan. The deletion can be taken back with undo.',
  hints: { destructiveHint: true },
  input: object<DeleteInput>({ key: keyField, confirm: optional(confirmField) }),
  run(call, input) {
    const { session, store, signal, requestId } = call
    const { bucket } = session.workspace
    const key = session.scope.keyOf(input.key)
    return planned(call, input, {
      plan: () => store.objects.head(bucket, key, { signal }),
      stateOf: ({ seq }) => seq,
      isEmpty: () => false,
      show: ({ size, etag, versionId, lastModified }) => ({
        deletes: { key: input.key, size, etag, versionId, lastModified },
      }),
      async make({ etag }) {
        session.spending.spend({ operations: 1 })
        await store.objects.delete(bucket, key, { ifMatch: etag, signal })
        return { key: input.key, requestId }
      },
    })
  },
})

interface DeletePrefixInput {
  readonly prefix: string
  readonly confirm?: string
}

/** More need a narrower prefix. */
const deletionsMax = 10_000

export const deletePrefixTool = tool<DeletePrefixInput>({
  name: 'delete_prefix',
  title: 'Delete all objects beneath a prefix',
  description:
    'Deletes every object whose key begins with a text. Without confirm it answers with a plan. The deletions can be taken back with undo.',
  hints: { destructiveHint: true },
  input: object<DeletePrefixInput>({
    prefix: described(text({ max: 4096 }), 'the text that the keys begin with; empty: the whole workspace'),
    confirm: optional(confirmField),
  }),
  run(call, input) {
    const { pathOf } = call.session.scope
    return planned(call, input, {
      plan: () => objectsBeneath(call, input.prefix),
      stateOf: (found) => found.map(({ key, versionId, etag }) => [key, versionId, etag]),
      isEmpty: (found) => found.length === 0,
      show: (found) => ({ deletes: some(found.map(({ key, size }) => ({ key: pathOf(key), size }))) }),
      make: (found) => deleteAll(call, found),
    })
  },
})

/** @throws StorageError `InvalidRequest` for too many */
async function objectsBeneath({ session, store, signal }: ToolCall, prefix: string): Promise<readonly ListedObject[]> {
  const found: ListedObject[] = []
  const { bucket } = session.workspace
  for await (const entry of store.objects.list(bucket, { prefix: session.scope.keyOf(prefix), signal })) {
    if (entry.kind === 'object') found.push(entry)
    if (found.length > deletionsMax) {
      throw new StorageError(
        'InvalidRequest',
        `One call deletes at most ${deletionsMax} objects: give a longer prefix.`,
      )
    }
  }
  return found
}

/** Objects that others change meanwhile stay. */
async function deleteAll({ session, store, requestId }: ToolCall, found: readonly ListedObject[]): Promise<object> {
  session.spending.spend({ operations: found.length })
  const targets = found.map(({ key, etag }) => ({ key, ifMatch: etag }))
  const outcomes = await store.objects.deleteMany(session.workspace.bucket, targets)
  const left = outcomes.flatMap((outcome) =>
    'error' in outcome ? [{ key: session.scope.pathOf(outcome.key), code: codeOf(outcome.error) }] : [],
  )
  return { deleted: outcomes.length - left.length, ...(left.length > 0 && { left: some(left) }), requestId }
}

const codeOf = (error: unknown): string => (isStorageError(error) ? error.code : 'InternalError')
