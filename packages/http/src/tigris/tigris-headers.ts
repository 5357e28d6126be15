/**
 * The headers of Tigris, a hosted store, for snapshots and forks. A request is translated before its operation is found:
 * what reads or forks becomes the header of Varve, and what concerns snapshots becomes an operation on snapshots. A header
 * without an equal meaning is refused, never ignored.
 */

import { parseAsOfName } from '@varve/core'
import { forkSourceHeader } from '../buckets/fork-source.ts'
import { enableHeader, sourceHeader, sourceVersionHeader } from '../buckets/tigris-facts.ts'
import type { Level } from '../contract/operation.ts'
import { S3Error } from '../errors/errors.ts'
import { momentField } from '../look-back/requested-moment.ts'
import type { QueryParams } from '../target/query-params.ts'
import { createRequestHeaders, type RequestHeaders } from '../target/request-headers.ts'
import { asOfNameOf, momentOf } from './snapshot-version.ts'

const snapshotHeader = 'x-tigris-snapshot'
export const versionHeader = 'x-tigris-snapshot-version'

export interface TigrisRequest {
  readonly method: string
  readonly level: Level
  readonly bucket: string | undefined
  readonly query: QueryParams
  readonly headers: RequestHeaders
  /** Whether a V4 signature covers the headers. */
  readonly signed: boolean
}

/** What a request means for the snapshots of a bucket. */
export type SnapshotRequest =
  | { readonly does: 'create'; readonly bucket: string; readonly name?: string }
  | { readonly does: 'list'; readonly bucket: string }
  | { readonly does: 'delete'; readonly bucket: string; readonly version: string }

export interface Translated {
  /** The headers of the request as Varve names them. */
  readonly headers: RequestHeaders
  /** Present if the request is about snapshots. */
  readonly snapshots?: SnapshotRequest
}

/**
 * @throws S3Error `AccessDenied` for headers that are not signed, `NotImplemented` for those without a meaning here,
 *   `InvalidArgument`, `InvalidRequest`
 */
export function translateTigris(request: TigrisRequest): Translated {
  const { headers, query, signed } = request
  refuseParameters(query)
  const sent = headers.names.filter((name) => isMeant(name, headers))
  if (sent.length === 0) return { headers }
  if (!signed) throw new S3Error('AccessDenied', `${sent[0]} counts only in a request that is signed by version 4.`)
  const named = new Map(sent.map((name) => [name, headers.single(name)?.trim() ?? '']))
  const snapshots = snapshotRequest(request, named)
  const added = snapshots === undefined ? [...readAsOf(named), ...forkOf(request, named)] : []
  for (const name of named.keys()) throw notImplemented('header', { Header: name })
  return { headers: withOthers(headers, sent, added), ...(snapshots && { snapshots }) }
}

/** Headers of that store with other beginnings, and the value that describes what happens here anyway. */
const otherHeaders: ReadonlyMap<string, string> = new Map([
  ['tigris-force-delete', 'false'],
  ['x-amz-acl-public-list-objects-enabled', 'false'],
])

function isMeant(name: string, headers: RequestHeaders): boolean {
  if (name.startsWith('x-tigris-')) return true
  const harmless = otherHeaders.get(name)
  return harmless !== undefined && headers.get(name)?.trim().toLowerCase() !== harmless
}

/** What was understood is taken out of `named`. */
type Named = Map<string, string>

function take(named: Named, name: string): string | undefined {
  const value = named.get(name)
  named.delete(name)
  return value
}

function snapshotRequest({ method, level, bucket }: TigrisRequest, named: Named): SnapshotRequest | undefined {
  const request = `${method} ${level}`
  if (request === 'GET service') {
    const listed = take(named, snapshotHeader)
    return listed === undefined ? undefined : { does: 'list', bucket: listed }
  }
  if (bucket === undefined) return undefined
  if (request === 'PUT bucket') {
    const taken = take(named, snapshotHeader)
    return taken === undefined ? undefined : { does: 'create', bucket, ...snapshotName(taken) }
  }
  if (request !== 'DELETE bucket') return undefined
  const version = take(named, versionHeader)
  return version === undefined ? undefined : { does: 'delete', bucket, version }
}

/** The value is `true`, or `true; name=NAME`. */
function snapshotName(value: string): { readonly name?: string } {
  const [, name] = /^true\s*(?:;\s*name=(.*))?$/i.exec(value) ?? [undefined, value]
  if (name === value && value !== '') throw invalid(snapshotHeader, value)
  return name === undefined ? {} : { name }
}

function readAsOf(named: Named): readonly string[] {
  const version = take(named, versionHeader)
  return version === undefined ? [] : [momentField, momentOf(version)]
}

function forkOf({ method, level }: TigrisRequest, named: Named): readonly string[] {
  if (method !== 'PUT' || level !== 'bucket') return []
  // Every bucket has snapshots here.
  if (/^(?:true|false)$/i.test(named.get(enableHeader) ?? '')) named.delete(enableHeader)
  const source = take(named, sourceHeader)
  const version = take(named, sourceVersionHeader)
  if (source === undefined) {
    if (version === undefined) return []
    throw new S3Error('InvalidRequest', `${sourceVersionHeader} needs ${sourceHeader}.`)
  }
  const name = version === undefined ? source : asOfNameOf(source, version)
  if (version !== undefined && parseAsOfName(name) === undefined) throw invalid(sourceVersionHeader, version)
  return [forkSourceHeader, name]
}

/** Headers count only as headers: a parameter of this name would be ignored. */
function refuseParameters({ entries }: QueryParams): void {
  const found = entries.find(([name]) => name.toLowerCase().startsWith('x-tigris-'))
  if (found !== undefined) throw notImplemented('query', { Query: found[0] })
}

function withOthers(headers: RequestHeaders, sent: readonly string[], added: readonly string[]): RequestHeaders {
  const others = headers.names
    .filter((name) => !sent.includes(name))
    .flatMap((name) => headers.values(name).flatMap((value) => [name, value]))
  return createRequestHeaders([...others, ...added])
}

const notImplemented = (kind: 'header' | 'query', details: Readonly<Record<string, string>>): S3Error =>
  new S3Error('NotImplemented', `A ${kind} you provided implies functionality that is not implemented`, { details })

const invalid = (name: string, value: string): S3Error =>
  new S3Error('InvalidArgument', `The value of ${name} is not valid.`, {
    details: { ArgumentName: name, ArgumentValue: value },
  })
