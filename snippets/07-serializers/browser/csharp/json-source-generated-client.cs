// System.Text.Json with a reader that the compiler wrote. By hand: ./bench page 07

#:property PublishAot=false
#:project ../client
#:project ../../serializers/Json

Client.Start("json", new Serializers.JsonSourceGenerated());
