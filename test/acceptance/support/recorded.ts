/** A table of what S3 was recorded to answer, held against a server of either dialect. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Answer } from './call.ts'
import { openTestService, type TestService } from './test-service.ts'
import type { ServerOptions } from './server.ts'

export type DialectName = NonNullable<ServerOptions['dialect']>

/** What was recorded, and what shows that it is so here. */
export type Recorded = readonly [expected: string, holds: (service: TestService, dialect: DialectName) => Promise<void>]

/** Rows run side by side: each makes its own buckets. */
export function recorded(chapter: string, rows: readonly Recorded[]): void {
  describe.each(['neutral', 'aws'] as const)(`${chapter} (%s)`, (dialect) => {
    let service: TestService
    beforeAll(async () => {
      service = await openTestService({ dialect })
    })
    afterAll(() => service.stop())
    it.concurrent.each(rows)('%s', (_expected, holds) => holds(service, dialect))
  })
}

/** Status and every element of an error but those that differ from request to request. */
export function errorOf(answer: Answer): Readonly<Record<string, string | number>> {
  const elements = answer.xml().children.map(({ name, text }) => [name, text] as const)
  const own = elements.filter(([name]) => !['Resource', 'RequestId', 'HostId'].includes(name))
  return { status: answer.status, ...Object.fromEntries(own) }
}
