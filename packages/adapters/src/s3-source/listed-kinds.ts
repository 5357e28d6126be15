/**
 * Keeps the order of versions and delete markers in a listing: the SDK returns them in two lists, and their times do not tell
 * which of two was first.
 */
import { Readable } from 'node:stream'

export type ListedKind = 'object' | 'marker'

type Result = { readonly response: { body: AsyncIterable<Uint8Array> } }

/** Calls `onKinds` with the kinds of the entries of the answer to a `ListObjectVersions` request, in their order. */
export function withListedKinds<T extends { readonly middlewareStack: unknown }>(
  command: T,
  onKinds: (kinds: readonly ListedKind[]) => void,
): T {
  const stack = command.middlewareStack as { add(middleware: unknown, options: object): void }
  const read = (next: (args: unknown) => Promise<Result>) => async (args: unknown) => {
    const result = await next(args)
    const chunks: Uint8Array[] = []
    for await (const chunk of result.response.body) chunks.push(chunk)
    const text = Buffer.concat(chunks)
    // A key in a document has no `<` of its own.
    const found = text.toString().matchAll(/<(Version|DeleteMarker)>/g)
    onKinds([...found].map(([, element]) => (element === 'Version' ? 'object' : 'marker')))
    result.response.body = Readable.from([text])
    return result
  }
  // The nearest to the connection: the bytes were not parsed yet.
  stack.add(read, { step: 'deserialize', priority: 'low', name: 'varveListedKinds' })
  return command
}
