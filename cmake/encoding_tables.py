#!/usr/bin/env python3
"""Writes support/encoding_tables.c: the single-byte encodings that the Encoding Standard of WHATWG lists, from Python's codecs.

    cmake/encoding_tables.py > support/encoding_tables.c && ./dev format

The standard differs from the codecs at two points. Bytes 0x80 to 0x9f without a character are control characters, and windows-1255 and
KOI8-U have three characters more."""

# Name in the standard, codec of Python (NULL table: not single-byte), labels in addition to the name in lower case.
ENCODINGS = (
    ('UTF-8', None, 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8'),
    ('UTF-16LE', None, 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16'),
    ('UTF-16BE', None, 'unicodefffe'),
    ('windows-1252', 'cp1252', 'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591'
     ' iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252 x-user-defined'),
    ('windows-1250', 'cp1250', 'cp1250 x-cp1250'),
    ('windows-1251', 'cp1251', 'cp1251 x-cp1251'),
    ('windows-1253', 'cp1253', 'cp1253 x-cp1253'),
    ('windows-1254', 'cp1254', 'cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5'
     ' x-cp1254'),
    ('windows-1255', 'cp1255', 'cp1255 x-cp1255'),
    ('windows-1256', 'cp1256', 'cp1256 x-cp1256'),
    ('windows-1257', 'cp1257', 'cp1257 x-cp1257'),
    ('windows-1258', 'cp1258', 'cp1258 x-cp1258'),
    ('windows-874', 'cp874', 'dos-874 iso-8859-11 iso8859-11 iso885911 tis-620'),
    ('ISO-8859-2', 'iso8859_2', 'csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2'),
    ('ISO-8859-3', 'iso8859_3', 'csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3'),
    ('ISO-8859-4', 'iso8859_4', 'csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4'),
    ('ISO-8859-5', 'iso8859_5', 'csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988'),
    ('ISO-8859-6', 'iso8859_6', 'arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i'
     ' iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987'),
    ('ISO-8859-7', 'iso8859_7', 'csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7'
     ' iso_8859-7:1987 sun_eu_greek'),
    ('ISO-8859-8', 'iso8859_8', 'csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8'
     ' iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical'),
    ('ISO-8859-10', 'iso8859_10', 'csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6'),
    ('ISO-8859-13', 'iso8859_13', 'iso8859-13 iso885913'),
    ('ISO-8859-14', 'iso8859_14', 'iso8859-14 iso885914'),
    ('ISO-8859-15', 'iso8859_15', 'csisolatin9 iso8859-15 iso885915 iso_8859-15 l9'),
    ('ISO-8859-16', 'iso8859_16', ''),
    ('KOI8-R', 'koi8_r', 'cskoi8r koi koi8 koi8_r'),
    ('KOI8-U', 'koi8_u', 'koi8-ru'),
    ('IBM866', 'cp866', '866 cp866 csibm866'),
    ('macintosh', 'mac_roman', 'csmacintosh mac x-mac-roman'),
    ('x-mac-cyrillic', 'mac_cyrillic', 'x-mac-ukrainian'),
    ('GBK', None, 'chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk'),
    ('gb18030', None, ''),
    ('Big5', None, 'big5-hkscs cn-big5 csbig5 x-x-big5'),
    ('EUC-JP', None, 'cseucpkdfmtjapanese x-euc-jp'),
    ('ISO-2022-JP', None, 'csiso2022jp'),
    ('Shift_JIS', None, 'csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis'),
    ('EUC-KR', None, 'cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949'),
)
# Names of the multi-byte encodings for iconv(), the ones that have all characters of the standard's.
ICONV = {'GBK': 'GB18030', 'gb18030': 'GB18030', 'Big5': 'BIG5-HKSCS', 'EUC-JP': 'EUC-JP-MS', 'ISO-2022-JP': 'ISO-2022-JP',
         'Shift_JIS': 'CP932', 'EUC-KR': 'CP949'}
MORE = {('cp1255', 0xca): 0x5ba, ('koi8_u', 0xae): 0x45e, ('koi8_u', 0xbe): 0x40e}


def character(codec, byte):
    if (codec, byte) in MORE:
        return MORE[codec, byte]
    try:
        return ord(bytes([byte]).decode(codec))
    except UnicodeDecodeError:
        return byte if byte < 0xa0 else 0


if __name__ == '__main__':
    print('/* Tables of the encodings of texts, written by cmake/encoding_tables.py. */\n#include "support/encoding.h"\n')
    for name, codec, labels in ENCODINGS:
        if codec:
            print(f'static const uint16_t {codec}[128] = {{')
            print(', '.join(f'0x{character(codec, byte):x}' for byte in range(128, 256)) + '};\n')
    print('const hed_encoding hed_encodings[] = {')
    for name, codec, labels in ENCODINGS:
        all_labels = ' '.join([name.lower()] + labels.split())
        iconv = f'.iconv = "{ICONV[name]}", ' if name in ICONV else ''
        table = f'.table = {codec}, ' if codec else ''
        print(f'    {{.name = "{name}", {table}{iconv}.labels = " {all_labels} "}},')
    print('    {0}};')
