/** `list` and `search`: which keys there are. */
import { type CommonPrefix, type ListedObject, schema } from '@varve/core'
import type { Session } from '../session/session.ts'
import { bounded, limitOf, type PageInput, pageFields } from './pages.ts'
import { viewAt } from './past.ts'
import { described, momentText, prefixField, tool } from './tool.ts'

const { boolean, object, optional, text } = schema

interface ListInput extends PageInput {
  readonly prefix?: string
  readonly recursive?: boolean
  readonly at?: string
}

export const listTool = tool<ListInput>({
  name: 'list',
  title: 'List keys',
  description: 'Lists objects and folders of one level, or all objects beneath a prefix, in the order of their keys.',
  hints: { readOnlyHint: true },
  input: object<ListInput>({
    prefix: optional(prefixField),
    recursive: optional(described(boolean, 'all keys beneath the prefix, not one level')),
    at: optional(momentText('list the workspace as it was at this moment')),
    ...pageFields,
  }),
  async run(call, { prefix = '', recursive = false, at, ...page }) {
    const { session, signal } = call
    const { keyOf } = session.scope
    const view = await viewAt(call, at)
    const listed = await view.objects.listPage(session.workspace.bucket, {
      prefix: keyOf(prefix),
      limit: limitOf(page),
      signal,
      ...(!recursive && { delimiter: '/' }),
      ...(page.cursor !== undefined && { after: keyOf(page.cursor) }),
    })
    const next = listed.nextAfter === undefined ? undefined : session.scope.pathOf(listed.nextAfter)
    const entries = listed.entries.map((entry) => entryOf(session, entry))
    return { facts: { ...(view.at !== undefined && { at: view.at }), ...bounded(entries, placeOf, next) } }
  },
})

interface SearchInput extends PageInput {
  readonly words: string
  readonly prefix?: string
}

/** How many keys one call looks at. */
const scannedMax = 20_000

export const searchTool = tool<SearchInput>({
  name: 'search',
  title: 'Search keys',
  description:
    'Finds objects whose keys contain all of the given words, in any case. It looks at keys, not at contents. Without entries but with a next, go on.',
  hints: { readOnlyHint: true },
  input: object<SearchInput>({
    words: described(text({ min: 1, max: 1024 }), 'words with spaces between them'),
    prefix: optional(prefixField),
    ...pageFields,
  }),
  async run({ session, store, signal }, { words, prefix = '', ...page }) {
    const { bucket } = session.workspace
    const { keyOf, pathOf } = session.scope
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
    const matches = (path: string): boolean => wanted.every((word) => path.toLowerCase().includes(word))
    const found: ListedEntry[] = []
    let after = page.cursor === undefined ? undefined : keyOf(page.cursor)
    for (let scanned = 0; scanned < scannedMax; ) {
      const listed = await store.objects.listPage(bucket, {
        prefix: keyOf(prefix),
        signal,
        ...(after !== undefined && { after }),
      })
      scanned += listed.entries.length
      for (const entry of listed.entries) {
        const one = entryOf(session, entry)
        if (!matches(placeOf(one))) continue
        found.push(one)
        if (found.length === limitOf(page)) return { facts: bounded(found, placeOf, placeOf(one)) }
      }
      after = listed.nextAfter
      if (after === undefined) break
    }
    return { facts: bounded(found, placeOf, after === undefined ? undefined : pathOf(after)) }
  },
})

type ListedEntry = { readonly folder: string } | ({ readonly key: string } & ListedFacts)

interface ListedFacts {
  readonly size: number
  readonly lastModified: Date
  readonly etag: string
  readonly versionId: string
}

function entryOf({ scope }: Session, entry: ListedObject | CommonPrefix): ListedEntry {
  if (entry.kind === 'prefix') return { folder: scope.pathOf(entry.prefix) }
  const { key, size, lastModified, etag, versionId } = entry
  return { key: scope.pathOf(key), size, lastModified, etag, versionId }
}

const placeOf = (entry: ListedEntry): string => ('folder' in entry ? entry.folder : entry.key)
