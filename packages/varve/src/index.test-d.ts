/** Tests the public types. `tsc -b` checks them: a line that should not compile, and does, is an error. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expectTypeOf } from 'vitest'
import type { Handler } from './http.ts'
import type {
  Body,
  ErrorCode,
  Keyspace,
  KeyspaceRow,
  ObjectContent,
  ObjectInfo,
  openStore,
  PastStore,
  PutResult,
  RecordedEvent,
  SettingValues,
  StorageError,
  Store,
  VarveStore,
} from './index.ts'

declare const store: Store
declare const past: PastStore
declare const event: RecordedEvent
declare const error: StorageError
declare const keyspace: Keyspace

export async function calls(): Promise<void> {
  expectTypeOf<Awaited<ReturnType<typeof openStore>>>().toEqualTypeOf<Store>()
  expectTypeOf<VarveStore>().toEqualTypeOf<Store>()
  expectTypeOf(await store.objects.put('bucket', 'key', 'text')).toEqualTypeOf<PutResult>()
  expectTypeOf(await store.objects.get('bucket', 'key')).toEqualTypeOf<ObjectContent>()
  expectTypeOf(await store.objects.head('bucket', 'key')).toExtend<ObjectInfo>()
  expectTypeOf(await store.buckets.settings.get('bucket', 'Tags')).toEqualTypeOf<SettingValues['Tags'] | undefined>()
  expectTypeOf(store.as({ by: { id: 'alice', name: 'Alice' } })).toEqualTypeOf<Store>()
  expectTypeOf(await store.at(1)).toEqualTypeOf<PastStore>()
  expectTypeOf(store.log()).toEqualTypeOf<AsyncIterable<RecordedEvent>>()
  expectTypeOf(await store.keyspaces.open('name', { version: 1 })).toEqualTypeOf<Keyspace>()
  expectTypeOf(keyspace.range()).toEqualTypeOf<AsyncIterable<KeyspaceRow>>()
}

export function bodies(): void {
  expectTypeOf<Uint8Array>().toExtend<Body>()
  expectTypeOf<Buffer>().toExtend<Body>()
  expectTypeOf<NodeJS.ReadableStream>().toExtend<Body>()
  expectTypeOf<Blob>().toExtend<Body>()
  expectTypeOf<File>().toExtend<Body>()
  expectTypeOf<ReadableStream<Uint8Array>>().toExtend<Body>()
  expectTypeOf<NonNullable<Response['body']>>().toExtend<Body>()
  expectTypeOf<number>().not.toExtend<Body>()
  expectTypeOf<undefined>().not.toExtend<Body>()
}

export async function refused(): Promise<void> {
  // @ts-expect-error The past is read alone.
  await past.objects.put('bucket', 'key', 'text')
  // @ts-expect-error A result does not change.
  ;(await store.objects.head('bucket', 'key')).size = 1
  // @ts-expect-error There is no such option.
  await store.objects.put('bucket', 'key', 'text', { contentTyp: 'text/plain' })
  // @ts-expect-error A date, not a text.
  await store.objects.get('bucket', 'key', { ifModifiedSince: '2026-01-01' })
  // @ts-expect-error There is no such setting.
  await store.buckets.settings.get('bucket', 'Colour')
  // @ts-expect-error A keyspace has a version.
  await store.keyspaces.open('name', {})
  // @ts-expect-error Keys are bytes.
  await keyspace.get('key')
  // @ts-expect-error The cursor moves by commits.
  keyspace.cursor = 7
  // @ts-expect-error A keyspace has no past.
  await past.keyspaces.list()
  // @ts-expect-error There is no such event.
  store.events.on('BucketPainted', () => undefined)
}

export function narrowing(): void {
  if (event.type === 'BucketCreated') expectTypeOf(event.data.region).toEqualTypeOf<string>()
  expectTypeOf(error.code).toEqualTypeOf<ErrorCode>()
  store.events.on('VersionAdded', ({ data }) => expectTypeOf(data.key).toEqualTypeOf<string>())
  expectTypeOf<Parameters<Handler['request']>>().toEqualTypeOf<[IncomingMessage, ServerResponse]>()
}
