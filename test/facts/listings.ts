import { type Chapter, clients, core, http, recorded, seed, shownBy } from './fact.ts'

export const versionListing: Chapter = {
  title: 'ListObjectVersions',
  facts: [
    ...shownBy(clients('aws-versions'), [
      [
        'versions and markers are one sequence for pages and their size',
        'recorded: list_objects_versions_markers',
        'pages of ${MaxKeys}, each from the markers of the last, hold every version once',
      ],
      [
        'IsLatest is of the key, whatever page an entry is on',
        'seen elsewhere: moto#9503',
        'pages of ${MaxKeys}, each from the markers of the last, hold every version once',
      ],
      [
        'a page goes on with the next older version when that of its marker is removed',
        'recorded: list_objects_versions_with_prefix_only_and_pagination',
        'pages go on where they were, though the version their marker names is removed meanwhile',
      ],
      [
        'each prefix is named once over all pages',
        'recorded: list_object_versions_pagination_common_prefixes',
        'pages of ${MaxKeys} with a delimiter name each prefix once and every other version',
      ],
      [
        'keys and markers are encoded for a URL, version ids are not',
        'seen elsewhere: ozone#10586, s3-tests#478',
        'encoded as for a URL, keys and markers are and version ids are not',
      ],
    ]),
    ...shownBy(seed('list-object-versions'), [
      [
        'keys are in the order of their UTF-8 bytes, beyond U+FFFF as well',
        'seen elsewhere: s3rver, miniflare',
        'keys are in one fixed order, that of their UTF-8 bytes',
      ],
      [
        'versions of a key are the newest first',
        'recorded: list_objects_versions_markers',
        'versions of a key are ordered by storage time, the most recent first',
      ],
      [
        'version null stands where it was stored',
        'recorded: delete_object_on_suspended_bucket',
        'a version null stands where it was stored, not where it is named',
      ],
    ]),
    ...shownBy(core('api/store'), [
      [
        'versions of one millisecond are in the order of their commits',
        'seen elsewhere: localstack and moto sort by time',
        'lists versions of one millisecond in the order they were committed',
      ],
    ]),
    ...shownBy(http('listings/list-object-versions'), [
      [
        'the document keeps versions and markers in one order',
        'recorded: list_objects_versions_markers',
        'keeps versions and delete markers in one sequence, with all that is known of them',
      ],
    ]),
    ...shownBy(recorded('listings'), [
      [
        'key-marker alone starts after all versions of its key (aws), or with them (neutral)',
        'recorded: list_objects_versions_markers; seen elsewhere: versitygw#2178, ceph#37848',
        'a key-marker alone starts after all versions of its key, or with them, as the dialect says',
      ],
      [
        'version-id-marker alone is InvalidArgument; an empty key-marker is none',
        'recorded: list_objects_versions_markers; seen elsewhere: versitygw#1808',
        'a version-id-marker needs a key-marker, which is none when it is empty',
      ],
      [
        'a page that ends on a prefix has it for NextKeyMarker and no NextVersionIdMarker',
        'recorded: list_object_versions_pagination_common_prefixes',
        'a page that ends on a prefix has it for a key marker and no version marker',
        'aws',
      ],
      [
        'a key-marker within a prefix leaves the whole prefix out',
        'recorded: list_object_versions_pagination_common_prefixes',
        'a key marker inside a prefix leaves all of the prefix out, after markers',
        'aws',
      ],
      [
        'a prefix counts once toward max-keys, filters markers too, and shows with nothing but markers in it',
        'recorded: list_object_versions_pagination_common_prefixes; seen elsewhere: moto#4821',
        'a prefix counts once, filters markers as well, and shows when it holds nothing but markers',
      ],
      [
        'IsTruncated is false on an exactly full last page, also where what is left has another prefix, and for max-keys=0',
        's3-tests: bucket_list_maxkeys_zero',
        'a full page is the last when nothing else begins with the prefix; a page of none is the last as well',
      ],
      [
        'a max-keys that is negative or no integer is InvalidArgument',
        's3-tests: bucket_list_maxkeys_invalid',
        'a page size that is no number, or below none, is an invalid argument',
      ],
      [
        'without versioning every id is null; KeyMarker, VersionIdMarker, Prefix are echoed, Delimiter when there is one',
        'recorded: list_object_versions_order_unversioned',
        'without versioning every version is null; what was asked for is echoed, a delimiter only when there is one',
      ],
      [
        'EncodingType is echoed only to those who ask; LastModified has milliseconds and Z',
        'seen elsewhere: localstack#9427',
        'without versioning every version is null; what was asked for is echoed, a delimiter only when there is one',
      ],
      [
        'encoding-type is url or “Invalid Encoding Method specified in Request”, the empty one too',
        'recorded: list_ops_encoding_type_validation',
        'the only encoding is url, in every listing',
      ],
      [
        'encoded for a URL: / as it is, a space %20, + %2B',
        'seen elsewhere: ozone#10586, s3-tests#478',
        'encoded for a URL, a slash stays, a space is %20 and a plus %2B',
      ],
    ]),
    ...shownBy(http('listings/list-parameters'), [
      ['a page size beyond 1000 is 1000', 'AWS documentation: ListObjectVersions', 'reads %j as %d'],
    ]),
  ],
}

export const listings: Chapter = {
  title: 'ListObjects, ListMultipartUploads, ListParts',
  facts: [
    ...shownBy(recorded('listings'), [
      [
        'the first version has NextMarker only with a delimiter',
        'recorded: list_objects_next_marker',
        'the first version of the listing tells the next marker only with a delimiter',
      ],
      [
        'ListMultipartUploads has NextKeyMarker and NextUploadIdMarker on the last page too, empty without uploads',
        'recorded: list_multiparts_next_marker',
        'uploads name their next markers on the last page too, and empty ones when there are none',
      ],
      [
        'ListParts takes an empty part-number-marker= and max-parts= for none',
        'recorded: list_parts_empty_part_number_marker',
        'a listing of parts takes empty numbers for none',
      ],
    ]),
    ...shownBy(http('listings/list-objects'), [
      [
        'the first version refuses continuation-token and start-after, the second marker',
        'seen elsewhere: s3rver does so',
        'refuses %s',
      ],
      [
        'KeyCount counts keys and prefixes',
        's3-tests: bucket_listv2_delimiter_basic',
        'counts keys and prefixes, and hands out a token',
      ],
      [
        'a token goes before start-after',
        's3-tests: bucket_listv2_both_continuationtoken_startafter',
        'goes on where the token says, whatever start-after says',
      ],
    ]),
    ...shownBy(clients('aws-listings'), [
      [
        'a token outlives the key it stood at',
        's3-tests: bucket_listv2_continuationtoken',
        'a token goes on where it was, though the key it stood at is gone and others came',
      ],
    ]),
    ...shownBy(http('listings/continuation-token'), [
      [
        'tokens are safe in URLs and XML, whatever the key',
        's3-tests: bucket_listv2_continuationtoken',
        'need no escaping in URLs and XML',
      ],
    ]),
    ...shownBy(clients('aws-multipart'), [
      [
        'uploads are in the order of their keys, then as they began; a delimiter rolls them up',
        'recorded: list_multiparts_next_marker, list_multiparts_with_prefix_and_delimiter',
        'uploads under way are listed by key and beginning, in pages of any size, prefixes rolled up',
      ],
    ]),
  ],
}
