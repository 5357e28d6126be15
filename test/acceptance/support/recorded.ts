/** A table of what S3 was recorded to answer, held against a server of either dialect. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Answer } from './call.ts'
import { openTestService, type TestService } from './test-service.ts'
import type { ServerOptions } from './server.ts'

export type DialectName = NonNullable<ServerOptions['dialect']>

/** What was recorded, and what shows that it is so here. */
export type Recorded = readonly [expected: string, holds: (service: TestService, dialect: DialectName) => Promise<void>]

const names = ['neutral', 'aws'] as const
/** One of each for all tables of a file. */
const services = new Map<DialectName, TestService>()

beforeAll(async () => {
  for (const dialect of names) services.set(dialect, await openTestService({ dialect }))
})
afterAll(() => Promise.all([...services.values()].map((service) => service.stop())))

/** Rows run side by side: each makes its own buckets. */
export function recorded(chapter: string, rows: readonly Recorded[]): void {
  describe.each(names)(`${chapter} (%s)`, (dialect) => {
    it.concurrent.each(rows)('%s', (_expected, holds) => holds(services.get(dialect) as TestService, dialect))
  })
}

/** Status and every element of an error but those that differ from request to request. */
export function errorOf(answer: Answer): Readonly<Record<string, string | number>> {
  const elements = answer.xml().children.map(({ name, text }) => [name, text] as const)
  const own = elements.filter(([name]) => !['Resource', 'RequestId', 'HostId'].includes(name))
  return { status: answer.status, ...Object.fromEntries(own) }
}
