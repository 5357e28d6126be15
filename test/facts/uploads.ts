import { type Chapter, clients, http, recorded, seed, shownBy } from './fact.ts'

export const multipart: Chapter = {
  title: 'Multipart uploads',
  facts: [
    ...shownBy(recorded('uploads'), [
      [
        'a part number outside of 1 to 10,000: “Part number must be an integer between 1 and 10000, inclusive”',
        'recorded: complete_multipart_parts_order',
        'a part number is 1 to 10,000',
      ],
      [
        'of two uploads of a part, the one that ends last counts',
        's3-tests: multipart_resend_first_finishes_last',
        'of two uploads of one part, the one that ends last counts, though it began first',
      ],
      [
        'EntityTooSmall has ProposedSize, MinSizeAllowed, PartNumber, ETag',
        'recorded: multipart_complete_multipart_too_small',
        'a part too small, one out of order and one that is not there are named, and the upload can still be completed',
      ],
      [
        'InvalidPart has UploadId, PartNumber, ETag, for an unknown part number and for another ETag',
        'recorded: multipart_complete_multipart_wrong_part',
        'a part too small, one out of order and one that is not there are named, and the upload can still be completed',
      ],
      [
        'a list out of order is InvalidPartOrder with UploadId',
        'recorded: complete_multipart_parts_order',
        'a part too small, one out of order and one that is not there are named, and the upload can still be completed',
      ],
      [
        'an unknown upload id is NoSuchUpload even if an object with the key exists',
        'seen elsewhere: versitygw',
        'an unknown upload is not found, even if there is an object of that key',
      ],
      [
        'racing completions have one answer and make one version (aws); all but one are NoSuchUpload (neutral)',
        'seen elsewhere: versitygw, racing completions; S3Mock#2586',
        'racing completions of one upload make one version: one wins, or all have one answer, by the dialect',
      ],
      [
        'x-amz-mp-object-size that does not match is InvalidRequest with both sizes',
        'recorded: multipart_size_validation',
        'a size of the whole that is not its size is refused, and the right one taken',
      ],
      [
        'GET ?partNumber= beyond the last is 416 InvalidPartNumber with ActualPartCount and PartNumberRequested',
        'recorded: get_object_part',
        'a missing part is refused with the number of parts, and a part has no range',
      ],
      [
        'GET ?partNumber= with Range is InvalidRequest; part 1 of a plain object is 206',
        'recorded: get_object_part',
        'a missing part is refused with the number of parts, and a part has no range',
      ],
      [
        'UploadPartCopy honours ?versionId= and echoes it; an encoded %3FversionId= belongs to the key',
        'seen elsewhere: versitygw',
        'a part copied from a version echoes it; an encoded ?versionId= belongs to the key',
      ],
      [
        'If-None-Match: * with the key present is 412, and 409 ConditionalRequestConflict once it was deleted',
        'recorded: multipart_if_none_match_with_delete',
        'If-None-Match finds what is there, and a conflict once it was deleted after the upload began',
      ],
      [
        'If-None-Match: * is 412 when the key was written after the upload began',
        'recorded: multipart_if_none_match_with_put',
        'If-None-Match finds what was written since the upload began',
      ],
      [
        'If-Match is 409 when the key was written since the upload began, identical bytes too',
        'recorded: multipart_if_match_with_put, multipart_if_match_with_put_identical',
        'If-Match is a conflict once the key was written, though the bytes are the same',
      ],
      [
        'If-Match is 412 for another ETag, 404 for a key that was deleted, 409 when it was written again',
        'recorded: multipart_if_match_with_delete, multipart_if_match_etag',
        'If-Match with another ETag fails; for a key deleted meanwhile it is NoSuchKey, and a conflict when it is back',
      ],
    ]),
    ...shownBy(clients('aws-multipart'), [
      [
        'the last upload of a part number counts; gaps and subsets are allowed',
        's3-tests: multipart_upload_resend_part',
        'the last upload of a number counts, and parts that are not listed are dropped',
      ],
      [
        'a completion that failed leaves the upload usable',
        'recorded: multipart_complete_multipart_wrong_part',
        'what is wrong with a list of parts is named, and the upload can be finished all the same',
      ],
      [
        'an aborted upload, another key and an unknown id are 404 NoSuchUpload',
        's3-tests: abort_multipart_upload_not_found',
        'an aborted upload is gone with its parts; one that never was is refused everywhere',
      ],
      [
        'a repeated completion gets the first answer, with version id and checksum, and makes no second version',
        's3-tests: multipart_reupload_checksum_and_etag',
        'completing again is answered by the dialect, and makes nothing new',
        'aws',
      ],
      [
        'the ETag is the MD5 of the parts’ MD5s, followed by -N',
        's3-tests: multipart_upload',
        'parts become one object, in the order of their numbers, with the headers the upload began with',
      ],
      [
        'GET ?partNumber=n is 206 with Content-Range and x-amz-mp-parts-count',
        'recorded: get_object_part',
        'a part is read by its number',
      ],
    ]),
    ...shownBy(http('xml/bodies'), [
      [
        'ETags are compared without quotes, &quot; too',
        'what clients send',
        'takes the quotes off an ETag, however they are spelled',
      ],
    ]),
    ...shownBy(http('multipart/complete-multipart-upload'), [
      [
        'Location percent-encodes the key',
        'recorded: multipart_with_unicode_character_location',
        'gives the location of the object, with its key percent-encoded',
      ],
      [
        'a completion with the content type of a form is read as XML (aws), or refused (neutral)',
        'what curl and older clients send',
        'takes %s in dialect aws only',
      ],
    ]),
    ...shownBy(http('render/keep-alive'), [
      [
        'a quick completion has a normal status and length; early errors have their own status',
        'AWS documentation: CompleteMultipartUpload',
        'are ordinary errors when they fail in time',
      ],
      [
        'a slow completion begins with the XML declaration, then white space',
        'parsers of clients',
        'begin with the declaration, go on with white space, and end with the document',
      ],
    ]),
    ...shownBy(seed('complete-multipart-upload'), [
      [
        'an answer after an early 200 has no Content-Length, and holds a result or an Error',
        'AWS documentation: CompleteMultipartUpload',
        '4.7.e2 has an Error element instead of a result when it fails after the 200',
      ],
      [
        'AccessDenied and all errors known at once come before an early 200',
        'AWS documentation: CompleteMultipartUpload',
        '4.7.e4 answers AccessDenied and everything it can know at once before any status is sent',
      ],
    ]),
  ],
}
