/// Schemas with texts that have their form, and texts that have not.
enum SchemaExamples {
    typealias Example = SchemaTests.Example

    static let all = values + strings + numbers + objects + arrays + combinations

    static let values = [
        Example(
            schema: "{}",
            valid: ["null", "true", "-1.5e3", #""x""#, "[]", "{}", #"[1, "a", {"b": [null]}]"#],
            invalid: ["", "nul", "01", "+1", "1.", "'x'", "[1,]", "NaN"]
        ),
        Example(schema: #"{"type":"boolean"}"#, valid: ["true", "false"], invalid: ["null", "1"]),
        Example(schema: #"{"type":["null","boolean"]}"#, valid: ["null", "true"], invalid: ["0"]),
        Example(
            schema: #"{"type":"boolean","nullable":true}"#,
            valid: ["null", "true"],
            invalid: ["0"]
        ),
        Example(
            schema: #"{"enum":["red","a\"b\n",3,1.5,null,{"k":[1]}]}"#,
            valid: [#""red""#, #""a\"b\n""#, "3", "1.5", "null", #"{"k":[1]}"#],
            invalid: ["red", #""blue""#, "4"]
        ),
        Example(
            schema: #"{"type":"string","enum":["a",1,"b"]}"#,
            valid: [#""a""#, #""b""#],
            invalid: ["1"]
        ),
        Example(
            schema: #"{"const":{"pattern":"("}}"#,
            valid: [#"{"pattern":"("}"#],
            invalid: [#""(""#]
        ),
        Example(schema: #"{"const":"x/y"}"#, valid: [#""x/y""#], invalid: [#""x""#]),
        Example(
            schema: #"{"title":"T","description":"d","default":1,"examples":[2],"x-own":3}"#,
            valid: ["1"],
            invalid: ["x"]
        ),
    ]

    static let strings = [
        Example(
            schema: #"{"type":"string"}"#,
            valid: [
                #""""#, #""plain é 漢 😀""#, #""\" \\ \/ \b \f \n \r \t""#, #""\u00E9\ud83d\ude00""#,
            ],
            invalid: [
                #"""#, #""a"#, "\"\n\"", #""\x""#, #""\u12G4""#, #""\ud83d""#, #""\ud83dx""#,
                #""\ude00""#, #""\u0000""#,
            ]
        ),
        Example(
            schema: #"{"type":"string","minLength":2,"maxLength":3}"#,
            valid: [#""ab""#, #""é漢😀""#, #""a\n\u0041""#],
            invalid: [#""a""#, #""abcd""#, #""é漢😀x""#]
        ),
        Example(
            schema: #"{"type":"string","maxLength":0}"#,
            valid: [#""""#],
            invalid: [#""a""#]
        ),
        Example(
            schema: #"{"type":"string","pattern":"^[A-Z]{2}-\\d+$"}"#,
            valid: [#""AB-1""#, #""\u0041B-12""#],
            invalid: [#""ab-1""#, #""AB-""#, #""xAB-1""#]
        ),
        Example(
            schema: #"{"type":"string","pattern":"b"}"#,
            valid: [#""b""#, #""abc""#, #""\"b\n""#],
            invalid: [#""ac""#, #""""#]
        ),
        Example(
            schema: #"{"type":"string","pattern":"^a|z$"}"#,
            valid: [#""abc""#, #""xyz""#],
            invalid: [#""xyza""#]
        ),
        Example(
            schema: #"{"type":"string","pattern":"^\"\\\\\n$"}"#,
            valid: [#""\"\\\n""#],
            invalid: [#""\"\\""#]
        ),
        Example(
            schema: #"{"type":"string","pattern":"^[a-z]+$","minLength":2,"maxLength":3}"#,
            valid: [#""ab""#, #""abc""#],
            invalid: [#""a""#, #""abcd""#]
        ),
        Example(
            schema: #"{"type":"string","pattern":"^[0-9]{4}$","maxLength":10}"#,
            valid: [#""2024""#],
            invalid: [#""202""#]
        ),
        Example(
            schema: #"{"type":"string","format":"date"}"#,
            valid: [#""2024-02-29""#, #""1999-12-31""#, #""2000-02-29""#],
            invalid: [#""2023-02-29""#, #""2023-04-31""#, #""1900-02-29""#, #""2023-13-01""#]
        ),
        Example(
            schema: #"{"type":"string","format":"date-time"}"#,
            valid: [#""2024-02-29T23:59:59Z""#, #""2024-01-01T00:00:00.123+02:00""#],
            invalid: [#""2024-01-01""#, #""2024-01-01T24:00:00Z""#, #""2024-01-01T00:00:00""#]
        ),
        Example(
            schema: #"{"type":"string","format":"uuid"}"#,
            valid: [#""123e4567-e89b-12d3-a456-426614174000""#],
            invalid: [#""123e4567""#]
        ),
        Example(
            schema: #"{"type":"string","format":"email"}"#,
            valid: [#""ada.l@example.com""#],
            invalid: [#""ada""#, #""a@b""#, #""@example.com""#]
        ),
        Example(
            schema: #"{"type":"string","format":"ipv4"}"#,
            valid: [#""192.168.0.1""#, #""255.255.255.255""#],
            invalid: [#""256.1.1.1""#, #""1.2.3""#, #""01.2.3.4""#]
        ),
        Example(
            schema: #"{"type":"string","format":"uri"}"#,
            valid: [#""https://example.com/a?b=c#d""#],
            invalid: [#""example""#]
        ),
        Example(
            schema: #"{"type":"string","format":"duration"}"#,
            valid: [#""P3D""#, #""PT1H30M""#, #""P2W""#],
            invalid: [#""P""#, #""3D""#]
        ),
        Example(
            schema: #"{"type":"string","format":"password"}"#,
            valid: [#""x""#],
            invalid: ["x"]
        ),
    ]

    static let numbers = [
        Example(
            schema: #"{"type":"integer"}"#,
            valid: ["0", "-7", "123456"],
            invalid: ["1.5", "01", "-", "-0", "1e3"]
        ),
        Example(
            schema: #"{"type":"integer","minimum":-12,"maximum":305}"#,
            valid: ["-12", "-9", "0", "99", "300", "305"],
            invalid: ["-13", "306", "-20", "1000"]
        ),
        Example(
            schema: #"{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":10}"#,
            valid: ["1", "9"],
            invalid: ["0", "10"]
        ),
        Example(
            schema: #"{"type":"integer","minimum":1000}"#,
            valid: ["1000", "999999"],
            invalid: ["999", "-1000"]
        ),
        Example(
            schema: #"{"type":"integer","maximum":9223372036854775807,"minimum":1.5}"#,
            valid: ["2", "10"],
            invalid: ["1"]
        ),
        Example(
            schema: #"{"type":"integer","multipleOf":25,"minimum":-30,"maximum":60}"#,
            valid: ["-25", "0", "25", "50"],
            invalid: ["10", "75", "-50"]
        ),
        Example(
            schema: #"{"type":"number"}"#,
            valid: ["0", "-1.25", "1e10", "2.5E-3"],
            invalid: ["1.", ".5", "1e", "--1", "1e999"]
        ),
        Example(
            schema: #"{"type":"number","minimum":0,"maximum":1}"#,
            valid: ["0", "1", "0.5", "0.001", "1.0", "0.0"],
            invalid: ["1.01", "-0.1", "2", "1.5", "1e3"]
        ),
        Example(
            schema: #"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}"#,
            valid: ["0.5", "0.01", "0.99"],
            invalid: ["0", "1", "0.0", "1.0"]
        ),
        Example(
            schema: #"{"type":"number","minimum":-2.25,"maximum":0.5}"#,
            valid: ["-2.25", "-2.2", "-2", "-1.9", "0", "0.5", "0.50", "0.49"],
            invalid: ["-2.26", "-2.3", "0.51", "0.6", "1"]
        ),
        Example(
            schema: #"{"type":"number","minimum":0.25,"maximum":0.75}"#,
            valid: ["0.25", "0.3", "0.75", "0.750"],
            invalid: ["0.2", "0.24", "0.76", "0", "1"]
        ),
        Example(
            schema: #"{"type":"number","exclusiveMaximum":0}"#,
            valid: ["-1", "-0.5"],
            invalid: ["0", "-0", "-0.0", "1"]
        ),
        Example(
            schema: #"{"type":"number","minimum":99.5}"#,
            valid: ["99.5", "99.9", "100", "123456.7"],
            invalid: ["99.4", "99", "-100"]
        ),
    ]

    static let arrays = [
        Example(
            schema: #"{"type":"array","items":{"type":"integer"}}"#,
            valid: ["[]", "[1]", "[1,2]", "[1, 2, 3]", "[\n  1,\n  2\n]"],
            invalid: ["[1,]", "[,1]", "[1 2]", #"["a"]"#, "[1]]"]
        ),
        Example(
            schema: #"{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":3}"#,
            valid: ["[1,2]", "[1,2,3]"],
            invalid: ["[]", "[1]", "[1,2,3,4]"]
        ),
        Example(
            schema: #"{"type":"array","maxItems":0}"#,
            valid: ["[]"],
            invalid: ["[1]"]
        ),
        Example(
            schema: """
                {"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],\
                "minItems":2,"maxItems":2}
                """,
            valid: [#"[1,"a"]"#],
            invalid: ["[1]", #"["a",1]"#, #"[1,"a",2]"#]
        ),
        Example(
            schema: """
                {"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],\
                "items":{"type":"null"}}
                """,
            valid: ["[]", "[1]", #"[1,"a"]"#, #"[1,"a",null,null]"#],
            invalid: ["[null]", #"[1,"a",1]"#]
        ),
        Example(
            schema: #"{"type":"array","prefixItems":[{"type":"integer"}],"items":false}"#,
            valid: ["[]", "[1]"],
            invalid: ["[1,2]"]
        ),
    ]
}
