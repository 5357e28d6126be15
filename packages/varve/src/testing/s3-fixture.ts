/** Gives each test a server of its own, quickly: a fork of one that was prepared once. */
import { schema } from '@varve/core'
import { type StartS3Options, startS3Options } from './options.ts'
import { startS3 } from './start-s3.ts'
import type { TestS3 } from './test-s3.ts'

/** A fixture as `test.extend` of vitest takes it: it gives a test its server, and stops that after the test. */
export type S3Fixture = (context: object, use: (s3: TestS3) => Promise<void>) => Promise<void>

const preparation = schema.callable<(s3: TestS3) => unknown>()

/**
 * A fixture for `test.extend` of vitest. The first test starts a server and calls `prepare` with it; each test gets a
 * fork of that. Tests that run at the same time do not meet.
 * @throws StorageError `InvalidArgument`
 */
export function s3Fixture(options: StartS3Options = {}, prepare: (s3: TestS3) => unknown = () => undefined): S3Fixture {
  const own = startS3Options(options)
  const { listen = true, host, port } = own
  const place = { listen, ...(host !== undefined && { host }), ...(port !== undefined && { port }) }
  schema.checked('prepare', preparation, prepare)
  let template: Promise<TestS3> | undefined
  // vitest reads the source of a fixture, and wants braces for what it uses of the context.
  return async ({}, use) => {
    template ??= prepared(own, prepare)
    const s3 = await (await template).fork(place)
    try {
      await use(s3)
    } finally {
      await s3.stop()
    }
  }
}

/** The template has no port, and nothing of it keeps the process alive. */
async function prepared(options: StartS3Options, prepare: (s3: TestS3) => unknown): Promise<TestS3> {
  const template = await startS3({ ...options, listen: false })
  try {
    await prepare(template)
    return template
  } catch (error) {
    await template.stop()
    throw error
  }
}
