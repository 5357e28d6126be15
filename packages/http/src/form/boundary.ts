import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { malformed } from './malformed.ts'

/**
 * The boundary between the parts of a form.
 * @throws S3Error `PreconditionFailed` for a body that is not a form, `MalformedPOSTRequest` for an invalid boundary.
 */
export function formBoundary(headers: RequestHeaders): string {
  const contentType = headers.single('content-type') ?? ''
  const [type = ''] = /^[^;]*/.exec(contentType) ?? []
  if (type.trim().toLowerCase() !== 'multipart/form-data') throw noForm()
  const [, quoted, word = ''] = boundaryParameter.exec(contentType.slice(type.length)) ?? []
  const boundary = quoted ?? word
  if (!shape.test(boundary)) throw malformed('It has no boundary.')
  return boundary
}

const boundaryParameter = /;[ \t]*boundary=(?:"([^"]*)"|([^\s";]+))[ \t]*(?:;|$)/i
const shape = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/

function noForm(): S3Error {
  return new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
    details: { Condition: 'Bucket POST must be of the enclosure-type multipart/form-data' },
  })
}
