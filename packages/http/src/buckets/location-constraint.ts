import { S3Error } from '../errors/errors.ts'
import type { ServiceContext } from '../contract/operation.ts'

/**
 * The region of a new bucket, given the `LocationConstraint` of the request ('' for none).
 *
 * One server is one region. It always accepts its own name: many clients send the region that they are configured with
 * to every custom endpoint. This includes us-east-1, which AWS itself refuses. In the dialect that has an unnamed
 * region, the endpoint of that region creates buckets in any region, and every other endpoint requires its own name.
 * @throws S3Error `InvalidLocationConstraint`, `IllegalLocationConstraintException`.
 */
export function regionFor(
  constraint: string,
  { dialect, options: { region } }: Pick<ServiceContext, 'dialect' | 'options'>,
): string {
  if (constraint === region) return region
  const { unnamedRegion } = dialect
  if (unnamedRegion === undefined) {
    // s3cmd sends EU in capitals, whatever case it was configured with.
    if (constraint === '' || constraint.toLowerCase() === region.toLowerCase()) return region
    throw invalid(constraint)
  }
  if (region === unnamedRegion) {
    if (constraint === '') return region
    if (regionName.test(constraint)) return constraint
    throw invalid(constraint)
  }
  if (constraint === 'EU' && region === 'eu-west-1') return constraint
  throw new S3Error(
    'IllegalLocationConstraintException',
    `The ${constraint || 'unspecified'} location constraint is incompatible for the region specific endpoint this request was sent to.`,
  )
}

/** `EU` is the old name of eu-west-1. */
const regionName = /^(?:EU|[a-z]{2}(?:-[a-z]{2,12}){1,3}-[0-9]{1,2})$/

function invalid(constraint: string): S3Error {
  return new S3Error('InvalidLocationConstraint', 'The specified location-constraint is not valid', {
    details: { LocationConstraint: constraint },
  })
}
