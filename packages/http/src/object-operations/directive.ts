import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

/** Whether a copy keeps the values of its source, or takes those of the request. @throws S3Error `InvalidArgument` */
export function copyDirective(headers: RequestHeaders, what: 'metadata' | 'tagging'): 'COPY' | 'REPLACE' {
  const name = `x-amz-${what}-directive`
  const word = headers.single(name) ?? 'COPY'
  if (word === 'COPY' || word === 'REPLACE') return word
  throw new S3Error('InvalidArgument', `Unknown ${what} directive.`, {
    details: { ArgumentName: name, ArgumentValue: word },
  })
}
