import { type Chapter, clients, core, http, recorded, seed, shownBy } from './fact.ts'

export const versionListing: Chapter = {
  title: 'ListObjectVersions',
  facts: [
    ...shownBy(clients('aws-versions'), [
      [
        'versions and markers are one sequence, which pages and max-keys count together',
        'recorded: list_objects_versions_markers',
        'pages of ${MaxKeys}, each from the markers of the last, hold every version once',
      ],
      [
        'IsLatest is relative to the key, not to the page',
        'seen elsewhere: moto#9503',
        'pages of ${MaxKeys}, each from the markers of the last, hold every version once',
      ],
      [
        'a page continues with the next older version when the version of its marker is removed',
        'recorded: list_objects_versions_with_prefix_only_and_pagination',
        'pages continue at their position, even if the version of their marker is removed',
      ],
      [
        'each common prefix is listed once over all pages',
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
        'versions of a key are listed newest first',
        'recorded: list_objects_versions_markers',
        'versions of a key are ordered by storage time, the most recent first',
      ],
      [
        'the version null is listed at the time it was stored',
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
        'the document lists versions and markers in one sequence',
        'recorded: list_objects_versions_markers',
        'keeps versions and delete markers in one sequence, with all that is known of them',
      ],
    ]),
    ...shownBy(recorded('listings'), [
      [
        'key-marker alone starts after all versions of its key (aws), or with them (neutral)',
        'recorded: list_objects_versions_markers; seen elsewhere: versitygw#2178, ceph#37848',
        'a key-marker alone starts after all versions of its key, or with them, by the dialect',
      ],
      [
        'version-id-marker alone is InvalidArgument; an empty key-marker counts as absent',
        'recorded: list_objects_versions_markers; seen elsewhere: versitygw#1808',
        'a version-id-marker needs a key-marker, which is none when it is empty',
      ],
      [
        'a page that ends on a prefix has the prefix as NextKeyMarker and no NextVersionIdMarker',
        'recorded: list_object_versions_pagination_common_prefixes',
        'a page that ends on a prefix has it for a key marker and no version marker',
        'aws',
      ],
      [
        'a key-marker within a prefix excludes the whole prefix',
        'recorded: list_object_versions_pagination_common_prefixes',
        'a key marker inside a prefix leaves all of the prefix out, after markers',
        'aws',
      ],
      [
        'a prefix counts once toward max-keys, filters markers too, and is listed even if it holds only markers',
        'recorded: list_object_versions_pagination_common_prefixes; seen elsewhere: moto#4821',
        'a prefix counts once, filters markers as well, and shows when it holds nothing but markers',
      ],
      [
        'IsTruncated is false on an exactly full last page, also when only keys of other prefixes follow, and for max-keys=0',
        's3-tests: bucket_list_maxkeys_zero',
        'a full page is the last when nothing else begins with the prefix; a page of none is the last as well',
      ],
      [
        'a negative or non-integer max-keys is InvalidArgument',
        's3-tests: bucket_list_maxkeys_invalid',
        'a page size that is no number, or below none, is an invalid argument',
      ],
      [
        'without versioning every id is null; KeyMarker, VersionIdMarker, Prefix are echoed, Delimiter when there is one',
        'recorded: list_object_versions_order_unversioned',
        'without versioning every version is null; parameters are echoed, a delimiter only if there is one',
      ],
      [
        'EncodingType is echoed only on request; LastModified has milliseconds and Z',
        'seen elsewhere: localstack#9427',
        'without versioning every version is null; parameters are echoed, a delimiter only if there is one',
      ],
      [
        'an encoding-type other than url is “Invalid Encoding Method specified in Request”, the empty one too',
        'recorded: list_ops_encoding_type_validation',
        'the only encoding is url, in every listing',
      ],
      [
        'encoding-type=url keeps /, writes a space as %20 and + as %2B',
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
        'ListObjects has NextMarker only with a delimiter',
        'recorded: list_objects_next_marker',
        'the first version of the listing gives the next marker only with a delimiter',
      ],
      [
        'ListMultipartUploads has NextKeyMarker and NextUploadIdMarker on the last page too, empty without uploads',
        'recorded: list_multiparts_next_marker',
        'uploads name their next markers on the last page too, and empty ones when there are none',
      ],
      [
        'ListParts treats an empty part-number-marker= and max-parts= as absent',
        'recorded: list_parts_empty_part_number_marker',
        'a listing of parts takes empty numbers for none',
      ],
    ]),
    ...shownBy(http('listings/list-objects'), [
      [
        'ListObjects refuses continuation-token and start-after, ListObjectsV2 refuses marker',
        'seen elsewhere: s3rver does so',
        'refuses %s',
      ],
      [
        'KeyCount counts keys and prefixes',
        's3-tests: bucket_listv2_delimiter_basic',
        'counts keys and prefixes, and hands out a token',
      ],
      [
        'a continuation token takes precedence over start-after',
        's3-tests: bucket_listv2_both_continuationtoken_startafter',
        'continues at the token, whatever start-after is',
      ],
    ]),
    ...shownBy(clients('aws-listings'), [
      [
        'a continuation token stays valid when the key at its position is deleted',
        's3-tests: bucket_listv2_continuationtoken',
        'a token continues at its position, even if its key is deleted and others were added',
      ],
    ]),
    ...shownBy(http('listings/continuation-token'), [
      [
        'continuation tokens need no escaping in URLs and XML, whatever the key',
        's3-tests: bucket_listv2_continuationtoken',
        'need no escaping in URLs and XML',
      ],
    ]),
    ...shownBy(clients('aws-multipart'), [
      [
        'uploads are ordered by key, then by start; a delimiter groups them into prefixes',
        'recorded: list_multiparts_next_marker, list_multiparts_with_prefix_and_delimiter',
        'uploads under way are listed by key and beginning, in pages of any size, prefixes rolled up',
      ],
    ]),
  ],
}
