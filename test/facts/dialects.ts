import { type Chapter, clients, core, http, recorded, seed, shownBy } from './fact.ts'

export const dialects: Chapter = {
  title: 'Where the dialects differ',
  facts: [
    ...shownBy(clients('aws-versions'), [
      [
        'NextKeyMarker and NextVersionIdMarker are the last pair returned, and both markers are exclusive',
        'recorded: list_objects_versions_markers',
        'the markers are read by the dialect',
        'aws',
      ],
      [
        'paginators of clients list every version once with either kind of marker',
        'the loop of the SDKs',
        'pages of ${MaxKeys}, each from the markers of the last, hold every version once',
      ],
    ]),
    ...shownBy(seed('list-object-versions'), [
      [
        'NextKeyMarker and NextVersionIdMarker are the first key and version not returned',
        'service description: ListObjectVersions',
        'NextKeyMarker and NextVersionIdMarker: the first key and the first version not returned',
        'neutral',
      ],
    ]),
    ...shownBy(http('object-operations/delete-object'), [
      [
        'the delete-marker header of a removed version is left out (aws) or false (neutral)',
        'recorded: delete_object_versioned',
        'names the removed version, and states that it was no marker if the dialect requires it',
      ],
    ]),
    ...shownBy(http('buckets/location-constraint'), [
      [
        'the constraint EU is kept as it is written (aws), or names the region eu (neutral)',
        'recorded: create_bucket_with_eu_location_constraint',
        '%s in %s, constraint %j: %s',
      ],
    ]),
    ...shownBy(recorded('requests'), [
      [
        'GetBucketLocation shows the constraint EU as EU; Location is a host when a constraint was sent',
        'recorded: create_bucket_with_eu_location_constraint, create_bucket_head_bucket',
        'a constraint is shown as it was sent',
        'aws',
      ],
    ]),
    ...shownBy(clients('aws-buckets'), [
      [
        'the default region is an empty element (aws), or eu (neutral); Location is a slash and the bucket name',
        'recorded: create_bucket_head_bucket',
        'a bucket is made, found, located, listed and removed',
      ],
      [
        'with a constraint Location is a host (aws), or still the path (neutral)',
        'recorded: create_bucket_head_bucket',
        'a bucket is in the region of its LocationConstraint',
      ],
    ]),
    ...shownBy(recorded('uploads'), [
      [
        'a completion without parts is InvalidRequest, “You must specify at least one part”',
        'recorded: multipart_complete_multipart_too_small',
        'a list without parts is an invalid request, and the upload can still be completed',
      ],
    ]),
    ...shownBy(core('decide/decide'), [
      [
        'a part other than the last has at least 5,242,880 bytes',
        'recorded: multipart_complete_multipart_too_small',
        'refuses a part other than the last below 5 MiB, to the byte',
      ],
    ]),
    ...shownBy(recorded('versions'), [
      [
        'deleting a bucket that is not empty is 409 BucketNotEmpty',
        'recorded: delete_versioned_bucket_with_objects',
        'a bucket with versions or markers is refused as not empty',
      ],
      [
        'a bucket that never had versioning has no Status; it may be suspended, which is then shown',
        'recorded: bucket_versioning_crud',
        'a bucket that never had versioning has no Status, and may be suspended at once',
      ],
    ]),
    ...shownBy(clients('aws-multipart'), [
      [
        'completing a completed upload again gives the same answer (aws), or NoSuchUpload (neutral), and no second version',
        's3-tests: multipart_reupload_checksum_and_etag',
        'completing again is answered by the dialect, and makes nothing new',
      ],
      [
        'an upload that was aborted, or never begun, is NoSuchUpload',
        's3-tests: abort_multipart_upload_not_found',
        'an aborted upload is gone with its parts; one that never was is refused everywhere',
      ],
    ]),
    ...shownBy(core('decide/decide'), [
      [
        'a repeated completion has the same answer only for the same parts, and only while its version exists',
        's3-tests: multipart_reupload_checksum_and_etag',
        'repeats its answer only for the same parts, and only while its version exists',
        'aws',
      ],
    ]),
  ],
}
