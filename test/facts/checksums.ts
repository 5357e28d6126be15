import { type Chapter, clients, core, http, recorded, shownBy, wire } from './fact.ts'

export const checksums: Chapter = {
  title: 'Checksums and framing',
  facts: [
    ...shownBy(http('body/decode-body'), [
      [
        'a body is accepted with a hash, as UNSIGNED-PAYLOAD, or in chunks: signed, signed or unsigned with a trailer',
        'AWS documentation: SigV4, transferring payload',
        '%s is known',
      ],
      [
        'aws-chunked is removed from the Content-Encoding that is stored; the rest stays',
        'recorded: s3_checksum_with_content_encoding',
        'of %j is %j',
      ],
    ]),
    ...shownBy(wire('declared-framing'), [
      [
        'Content-Encoding: aws-chunked with UNSIGNED-PAYLOAD is 400 InvalidArgument, also in presigned URLs, parts and forms',
        'seen on the wire: versitygw#2400',
        'is refused in %s with %j, and nothing is stored',
      ],
    ]),
    ...shownBy(http('body/decode-aws-chunked'), [
      [
        'chunks and trailers within the body are decoded, however they are cut',
        'AWS documentation: SigV4, transferring payload',
        '%s: is decoded, however the network cuts it',
      ],
      [
        'the size of the object is x-amz-decoded-content-length',
        'AWS documentation: SigV4, transferring payload',
        '%s: is refused when it is not as long as announced',
      ],
      [
        'x-amz-trailer-signature is verified',
        'AWS documentation: SigV4, trailing headers',
        'must be signed when chunks are',
      ],
      [
        'a trailer may be missing if its value came in a header',
        'seen elsewhere: pgsty/silo#143',
        'may stay away when a header brought their value already',
      ],
      [
        'a trailer that is cut short, has another name or no digest is refused, each with its own error',
        'seen elsewhere: versitygw#1173',
        '%j: %s',
      ],
    ]),
    ...shownBy(http('body/checksums'), [
      [
        'a checksum in a header counts even if a trailer is announced too',
        'seen elsewhere: pgsty/silo#143',
        'is the one in the header when a trailer was announced too',
      ],
    ]),
    ...shownBy(recorded('conditions'), [
      [
        'an invalid value: “Value for x-amz-checksum-… header is invalid.”; one of other bytes: BadDigest; nothing is stored',
        'recorded: put_object_checksum',
        'a ${algorithm} that is none, and one of other bytes, are refused in S3’s words, and nothing is stored',
      ],
      [
        'two checksums: “Expecting a single x-amz-checksum- header.”',
        'recorded: s3_checksum_no_algorithm',
        'two checksums are one too many',
      ],
      [
        'an invalid Content-MD5 is InvalidDigest with the value, one of other bytes BadDigest with ExpectedDigest and CalculatedDigest',
        'recorded: s3_invalid_content_md5',
        'an MD5 that is none is InvalidDigest, and one of other bytes BadDigest',
      ],
      [
        'an object sent without a checksum gets CRC64NVME, FULL_OBJECT, shown with x-amz-checksum-mode',
        'recorded: s3_checksum_no_automatic_sdk_calculation',
        'an object sent without a checksum has a CRC64NVME of all of it, shown on request',
      ],
      [
        'x-amz-checksum-algorithm alone changes nothing, whether S3 knows the algorithm or not',
        'recorded: s3_checksum_no_automatic_sdk_calculation',
        'an algorithm that is only named changes nothing, known or not, and a checksum of another one counts',
      ],
      [
        'DeleteObjects needs Content-MD5 or a checksum',
        's3-tests: multi_objectv2_delete and clients that send CRC32 alone',
        'deleting many needs an MD5 or a checksum of the request, and either will do',
      ],
    ]),
    ...shownBy(clients('aws-multipart'), [
      [
        'CRC32, CRC32C and SHA checksums of parts are COMPOSITE by default; CRC64NVME is FULL_OBJECT',
        'recorded: complete_multipart_parts_checksum_composite, complete_multipart_parts_checksum_full_object',
        "${ChecksumAlgorithm} of the parts ${requested === undefined ? '' : `requested as ${requested} `}makes a checksum ${type} of the object",
      ],
    ]),
    ...shownBy(recorded('checksums'), [
      [
        'an upload without an algorithm is completed with CRC64NVME, FULL_OBJECT; its parts show none',
        'recorded: complete_multipart_parts_checksum_default',
        'an upload without an algorithm gets a CRC64NVME of the whole, whatever its parts are checked by; parts show none',
      ],
      [
        'MD5, SHA512, XXHASH64, XXHASH3 and XXHASH128 are checksums like SHA256',
        'AWS documentation: Checksum, ChecksumAlgorithm',
        '${algorithm} comes in a header or a trailer, is compared, kept, shown and copied',
      ],
      [
        'only CRCs of parts can be combined into one of the whole: all others are COMPOSITE in uploads',
        'AWS documentation: checking object integrity',
        '${algorithm} of parts makes a composite of the whole',
      ],
    ]),
    ...shownBy(recorded('uploads'), [
      [
        'SHA checksums are only COMPOSITE, CRC64NVME only FULL_OBJECT',
        'recorded: multipart_checksum_type_compatibility',
        'only CRCs are of the whole, and CRC64NVME is never of parts',
      ],
      [
        'in a COMPOSITE upload each part needs a checksum; in other uploads the server computes it',
        'seen elsewhere: floci #3093, versitygw #1342',
        'a part has a checksum, where that of the whole is made of them; otherwise it is computed',
      ],
      [
        'in a COMPOSITE upload a completion lists the checksum of each part',
        'recorded: complete_multipart_parts_checksum_composite',
        'a completion lists the checksum of each part, where that of the whole is made of them',
      ],
      [
        'an upload without a checksum has the “null checksum mode”',
        'recorded: complete_multipart_parts_checksum_default',
        'an upload without a checksum has a mode of none',
      ],
      [
        'a completion with the other checksum type is InvalidRequest',
        'recorded: multipart_checksum_type_default_for_checksum',
        'a checksum of the whole is refused where the upload has one of parts, and the other way round',
      ],
    ]),
    ...shownBy(core('bytes/combine-crc'), [
      [
        'a CRC of the whole is combined from those of its parts, without reading them again',
        'AWS documentation: checking object integrity',
        'of %s are the CRC of the pieces joined, however they were cut',
      ],
    ]),
    ...shownBy(wire('edges'), [
      [
        'bytes other than the signed ones are not stored',
        'AWS: XAmzContentSHA256Mismatch',
        'stores nothing of %d bytes that are not those that were signed',
      ],
    ]),
  ],
}
