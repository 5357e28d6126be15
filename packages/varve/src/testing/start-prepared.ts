/** Starts a server for tests whose buckets exist. Its parts are loaded by the first server. */
import { emptyContent, type MemoryContent, openContent } from '../store/memory-content.ts'
import { type ServerSettings, startServer } from './memory-server.ts'
import type { StartS3Options } from './options.ts'
import { type Serving, storeOptionsOf } from './served-store.ts'
import type { TestS3 } from './test-s3.ts'

/** As `startS3`, for checked options. @throws as `startS3` does */
export async function startPrepared(settings: ServerSettings, options: StartS3Options): Promise<TestS3> {
  return startServer(await contentWith(options, settings.serving), settings, options)
}

async function contentWith({ buckets = [], versioning }: StartS3Options, serving: Serving): Promise<MemoryContent> {
  const content = emptyContent()
  const store = await openContent(content, storeOptionsOf(serving), serving.clock)
  try {
    for (const name of new Set(buckets)) await store.buckets.create(name, { ...(versioning && { versioning }) })
  } finally {
    await store.close()
  }
  return content
}
