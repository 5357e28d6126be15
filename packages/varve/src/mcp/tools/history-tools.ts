/** `history` and `diff`: what happened to a key, and what differs between two moments. */
import { type DiffedVersion, type ObjectDiff, type RecordedEvent, schema, versionId } from '@varve/core'
import type { Session } from '../session/session.ts'
import { isInLineage } from './lineage.ts'
import { bounded, limitOf, type PageInput, pageFields } from './pages.ts'
import { viewAt } from './past.ts'
import { keyField, momentText, prefixField, tool, type ToolCall } from './tool.ts'

const { object, optional } = schema

interface HistoryInput extends PageInput {
  readonly key: string
}

export const historyTool = tool<HistoryInput>({
  name: 'history',
  title: 'History of a key',
  description: 'Lists what happened to one key, the oldest first: each event with its position, time and actor.',
  hints: { readOnlyHint: true },
  input: object<HistoryInput>({ key: keyField, ...pageFields }),
  async run(call, { key, ...page }) {
    const { session, store, signal } = call
    const isOwn = await isInLineage(call)
    const after = page.cursor === undefined ? 0 : Number(page.cursor)
    const found: ReturnType<typeof eventOf>[] = []
    for await (const event of store.history(session.workspace.bucket, session.scope.keyOf(key), { signal })) {
      if (!(event.seq > after) || !isOwn(event)) continue
      // One more than the page has: then there is a next one.
      if (found.push(eventOf(event)) > limitOf(page)) break
    }
    const entries = found.slice(0, limitOf(page))
    const positionOf = (event: { readonly position: number }): string => String(event.position)
    const last = found.length > entries.length ? entries.at(-1) : undefined
    return { facts: { key, ...bounded(entries, positionOf, last && positionOf(last)) } }
  },
})

function eventOf(event: RecordedEvent) {
  const { seq, epoch, at, by, type, requestId, data } = event
  const size = 'size' in data && typeof data.size === 'number' ? { size: data.size } : {}
  const version = 'nullVersion' in data ? { versionId: versionId({ seq, epoch, ...data }) } : {}
  return { position: seq, at: new Date(at).toISOString(), event: type, by: by.id, requestId, ...version, ...size }
}

interface DiffInput extends PageInput {
  readonly prefix?: string
  readonly from?: string
  readonly to?: string
}

export const diffTool = tool<DiffInput>({
  name: 'diff',
  title: 'What changed',
  description: 'Lists which objects differ between two moments: by default what changed since this session began.',
  hints: { readOnlyHint: true },
  input: object<DiffInput>({
    prefix: optional(prefixField),
    from: optional(momentText('the first state; default: when the session began, or made its fork')),
    to: optional(momentText('the other state; default: now')),
    ...pageFields,
  }),
  async run(call, { prefix = '', from, to, ...page }) {
    const { session, store, signal } = call
    const { bucket } = session.workspace
    const { keyOf, pathOf } = session.scope
    const [first, last] = [await positionOf(call, from), to === undefined ? undefined : await positionOf(call, to)]
    const differences = store.diff({ bucket, prefix: keyOf(prefix) }, first, last ?? (await store.position()), {
      limit: limitOf(page),
      signal,
      ...(page.cursor !== undefined && { after: keyOf(page.cursor) }),
    })
    for await (const { entries, nextAfter, ...positions } of differences.pages()) {
      const shown = entries.flatMap((entry) => ('key' in entry ? [differenceOf(session, entry)] : []))
      const next = nextAfter === undefined ? undefined : pathOf(nextAfter)
      return { facts: { from: positions.from, to: positions.to, ...bounded(shown, ({ key }) => key, next) } }
    }
    return { facts: { entries: [] } }
  },
})

/** Checks that the workspace was there. */
async function positionOf(call: ToolCall, moment: string | undefined): Promise<number> {
  if (moment === undefined) return call.session.workspace.from
  const { at } = await viewAt(call, moment)
  return at ?? call.store.position()
}

function differenceOf({ scope }: Session, entry: ObjectDiff) {
  return {
    key: scope.pathOf(entry.key),
    change: entry.kind,
    ...('before' in entry && { before: versionOf(entry.before) }),
    ...('after' in entry && { after: versionOf(entry.after) }),
    ...(entry.kind === 'changed' && { aspects: entry.aspects }),
  }
}

const versionOf = ({ versionId: id, size, etag, lastModified }: DiffedVersion) => ({
  versionId: id,
  size,
  etag,
  lastModified,
})
